import { ConfigError } from './config.ts';

/** Throws a `ConfigError` naming the variables where the demo is missing: `npm run assemble` leaves it out. */
export async function loadDemo<Module>(load: () => Promise<Module>, variables: string[]): Promise<Module> {
  return load().catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new ConfigError(variables.map((name) => `${name} is required: the demo is not installed here`));
  });
}
