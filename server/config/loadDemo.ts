import { ConfigError } from './config.ts';

/**
 * Loads a module of the demo.
 * @param variables - to be set where the demo is not installed: `npm run assemble` leaves it out
 * @throws {ConfigError} when it is not installed
 */
export async function loadDemo<Module>(load: () => Promise<Module>, variables: string[]): Promise<Module> {
  return load().catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new ConfigError(variables.map((name) => `${name} is required: the demo is not installed here`));
  });
}
