import type { Writable } from 'node:stream';
import {
  type Config,
  ConfigError,
  KNOWN_VARIABLES,
  missingVariables,
  readConfig,
} from '../../config/config.ts';
import { ambiguousLines, misspeltWarnings, unreadByNode } from '../../config/dotEnv.ts';
import { OperatorError } from '../../errors.ts';
import { explainCommandError } from '../../explainError.ts';
import { escapeInvisible } from '../../observing/sanitizing.ts';
import { EXIT_FAILED, EXIT_OK, writeResult } from '../cliProcess.ts';
import type { CheckContext, CheckPart, Finding } from './checkContext.ts';
import { checkDatabase } from './databaseChecks.ts';
import { checkAsciiForms, findTooLongName, publicHosts } from './hostNames.ts';
import { findAlarm, installedFilesFound } from './installedFiles.ts';
import { checkProviderAndStream } from './providerChecks.ts';

const HOW_TO_WRITE =
  'Write NAME=value, with no blank around "=" and nothing after the value; a value with one of # $ \\ ` in single quotes. ' +
  'A comment starts with # at the beginning of its line; an empty line holds no blanks.';

type CheckRuntime = Omit<CheckContext, 'checkPart' | 'pageOrigins'> & {
  output: Writable;
  remarks: Writable;
  dotEnv: string;
  /** The folder in which the machine's files lie. */
  root: string;
};

/** Returns the exit code: 1 when something failed, 78 when it is the configuration; warnings do not count. */
export async function runCheck(env: NodeJS.ProcessEnv, runtime: CheckRuntime): Promise<number> {
  for (const warning of misspeltWarnings(env))
    runtime.remarks.write(`warning: ${escapeInvisible(warning)}\n`);
  let exitCode = EXIT_OK;
  const checkPart: CheckPart = async (name, look) => {
    runtime.signal.throwIfAborted();
    let line: string;
    try {
      const found = await look();
      line = typeof found === 'string' ? `ok ${name}: ${found}` : `WARN ${name}: ${found.warning}`;
    } catch (error) {
      exitCode = Math.max(exitCode, error instanceof OperatorError ? error.exitCode : EXIT_FAILED);
      line = `FAILED ${name}: ${explainCommandError(error)}`;
    }
    runtime.signal.throwIfAborted();
    await writeResult(runtime.output, `${line}\n`);
  };
  const ambiguous = ambiguousLines(runtime.dotEnv);
  if (ambiguous.length > 0) {
    const warning = `Node.js, systemd and Docker Compose may read these differently: ${ambiguous.join(', ')}. ${HOW_TO_WRITE}`;
    await checkPart('.env', async () => ({ warning }));
  }
  const unread = unreadByNode(runtime.dotEnv, env);
  if (unread.length > 0) {
    const warning =
      `Node reads ${unread.join(' and ')} only at its start, before the file .env: this check and npm start do not use it, ` +
      'systemd and Docker Compose do. To check with it, set it in the shell too';
    await checkPart('node', async () => ({ warning }));
  }
  const commented = KNOWN_VARIABLES.filter((name) => /\s#/.test(env[name] ?? ''));
  if (commented.length > 0) {
    const warning = `these values hold " #", as if a comment after them had been read with them: ${commented.join(', ')}`;
    await checkPart('environment', async () => ({ warning }));
  }
  let config: Config;
  try {
    config = readConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const lines = error.faults.map((fault) => `FAILED configuration: ${escapeInvisible(fault)}\n`);
    await writeResult(runtime.output, lines.join(''));
    return error.exitCode;
  }
  await checkPart('configuration', async () => configurationFound(config));
  await checkAsciiForms(env, checkPart);
  const hosts = publicHosts(env.PUBLIC_HOST);
  const tooLong = findTooLongName(hosts, runtime.root);
  if (tooLong !== null) await checkPart('PUBLIC_HOST', async () => tooLong);
  const pageOrigins = hosts.map((host) => `https://${host}`);
  const context = { ...runtime, checkPart, pageOrigins };
  await checkDatabase(config, context);
  await checkProviderAndStream(config, context);
  const installed = installedFilesFound(runtime.root);
  if (installed !== null) await checkPart('files', async () => installed);
  const alarm = findAlarm(runtime.root);
  if (alarm !== null) await checkPart('alarm', async () => alarm);
  return exitCode;
}

function configurationFound({ production, given }: Config): Finding {
  if (production) return 'production';
  if (Object.keys(given).length === 0)
    return 'not production: the demo stands in for each part that is not set';
  const missing = missingVariables(given);
  return {
    warning:
      'NODE_ENV is not production' +
      (missing.length === 0 ? ': set it' : `, so the demo stands in for ${missing.join(', ')}: set them all`),
  };
}
