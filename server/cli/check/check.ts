import type { Writable } from 'node:stream';
import { type Config, ConfigError, missingVariables, readConfig } from '../../config/config.ts';
import { configurationWarnings } from '../../config/configurationWarnings.ts';
import { ambiguousLines } from '../../config/dotEnv.ts';
import { OperatorError } from '../../errors.ts';
import { explainCommandError } from '../../explainError.ts';
import { escapeInvisible } from '../../observing/sanitizing.ts';
import { EXIT_FAILED, EXIT_OK, writeResult } from '../cliProcess.ts';
import type { CheckContext, CheckPart, Finding } from './checkContext.ts';
import { checkDatabase } from './databaseChecks.ts';
import { hostNamesFound, publicHosts, streamAddressFound } from './hostNames.ts';
import { findAlarm, installedFilesFound } from './installedFiles.ts';
import { checkProviderAndStream } from './providerChecks.ts';

const HOW_TO_WRITE =
  'Write NAME=value, with no blank around "=" and nothing after the value; a value with one of # $ \\ ` in single quotes. ' +
  'A comment starts with # at the beginning of its line; an empty line holds no blanks.';

type CheckRuntime = Omit<CheckContext, 'checkPart' | 'pageOrigins'> & {
  signal: AbortSignal;
  output: Writable;
  dotEnv: string;
  /** The folder in which the machine's files lie. */
  root: string;
};

/**
 * Returns the exit code: 1 when something failed, 78 when it is the configuration; warnings do not count.
 * @throws the reason of `signal`, at once when it aborts: nothing is left half-done, since nothing is changed
 */
export async function runCheck(env: NodeJS.ProcessEnv, runtime: CheckRuntime): Promise<number> {
  const { signal } = runtime;
  signal.throwIfAborted();
  const interruption = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([checkAll(env, runtime), interruption]);
}

async function checkAll(env: NodeJS.ProcessEnv, runtime: CheckRuntime): Promise<number> {
  let exitCode = EXIT_OK;
  const checkPart: CheckPart = async (name, look) => {
    let line: string;
    try {
      const found = await look();
      if (found === null) return;
      line = typeof found === 'string' ? `ok ${name}: ${found}` : `WARN ${name}: ${found.warning}`;
    } catch (error) {
      exitCode = Math.max(exitCode, error instanceof OperatorError ? error.exitCode : EXIT_FAILED);
      line = `FAILED ${name}: ${explainCommandError(error)}`;
    }
    runtime.signal.throwIfAborted();
    await writeResult(runtime.output, `${line}\n`);
  };
  await checkPart('.env', () => ambiguousFound(runtime.dotEnv));
  for (const warning of configurationWarnings(env, runtime.dotEnv)) {
    await checkPart('environment', () => ({ warning: escapeInvisible(warning) }));
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
  await checkPart('configuration', () => configurationFound(config));
  await checkPart('PUBLIC_HOST', () => hostNamesFound(env, runtime.root));
  await checkPart('STREAM_BASE_URL', () => streamAddressFound(env));
  const pageOrigins = publicHosts(env).map((host) => `https://${host}`);
  const context = { ...runtime, checkPart, pageOrigins };
  await checkDatabase(config, context);
  await checkProviderAndStream(config, context);
  await checkPart('files', () => installedFilesFound(runtime.root));
  await checkPart('alarm', () => findAlarm(runtime.root));
  return exitCode;
}

function ambiguousFound(dotEnv: string): Finding | null {
  const lines = ambiguousLines(dotEnv);
  if (lines.length === 0) return null;
  return {
    warning: `Node.js, systemd and Docker Compose may read these differently: ${lines.join(', ')}. ${HOW_TO_WRITE}`,
  };
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
