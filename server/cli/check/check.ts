import type { Writable } from 'node:stream';
import { asCalledHere } from '../../config/asCalledHere.ts';
import { type Config, ConfigError, missingVariables, readConfig } from '../../config/config.ts';
import { misspeltWarnings } from '../../config/misspelt.ts';
import { visible } from '../../observing/visibleText.ts';
import { failureMessage } from '../failureMessage.ts';
import { EXIT_FAILED, EXIT_OK, writeResult } from '../program.ts';
import { checkDatabase } from './databaseChecks.ts';
import { checkStream } from './streamChecks.ts';

export type CheckWorld = {
  output: Writable;
  remarks: Writable;
  clock(): Date;
  signal: AbortSignal;
};

/** The result of a check; a warning tells how to correct something that works for us and not for partners. */
export type Finding = string | { warning: string };

/**
 * Tries one thing and writes a line for it.
 * @param look - resolves to what was found; rejects with what to do, as an `OperatorError` or an error of the database
 */
export type Report = (name: string, look: () => Promise<Finding>) => Promise<void>;

/**
 * Tries once everything that a server with this environment needs, and changes nothing.
 * @returns the exit code: 1 when something failed, whatever the warnings
 */
export async function runCheck(env: NodeJS.ProcessEnv, world: CheckWorld): Promise<number> {
  for (const warning of misspeltWarnings(env)) world.remarks.write(`warning: ${visible(warning)}\n`);
  let config: Config;
  try {
    config = readConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    world.remarks.write(`${error.message}\n`);
    return EXIT_FAILED;
  }
  let exitCode = EXIT_OK;
  const report: Report = async (name, look) => {
    world.signal.throwIfAborted();
    let line: string;
    try {
      const found = await look();
      line = typeof found === 'string' ? `ok ${name}: ${found}` : `WARN ${name}: ${found.warning}`;
    } catch (error) {
      exitCode = EXIT_FAILED;
      line = `FAILED ${name}: ${failureMessage(error)}`;
    }
    await writeResult(world.output, `${asCalledHere(line)}\n`);
  };
  await report('configuration', async () => configurationFound(config));
  await checkDatabase(config, { ...world, report });
  await checkStream(config, { ...world, report });
  return exitCode;
}

function configurationFound({ production, external }: Config): Finding {
  if (production) return 'production';
  if (Object.keys(external).length === 0)
    return 'not production: the demo stands in for each part that is not set';
  const missing = missingVariables(external);
  return {
    warning:
      'NODE_ENV is not production' +
      (missing.length === 0 ? ': set it' : `, so the demo stands in for ${missing.join(', ')}: set them all`),
  };
}
