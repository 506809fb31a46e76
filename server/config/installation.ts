import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from './folders.ts';

/** Replaced by the build (vite.server.config.ts). */
declare const BUILD_VERSION: string | undefined;

/**
 * How an operator calls the commands: by npm in the project's folder; in an installation, which has no scripts of npm,
 * by the command `audio` of docs/operations.md.
 */
export const COMMANDS = commandsIn(PROJECT_ROOT);

export function commandsIn(folder: string) {
  const { scripts }: { scripts?: object } = JSON.parse(
    readFileSync(path.join(folder, 'package.json'), 'utf8'),
  );
  return scripts === undefined
    ? {
        account: 'audio account',
        accountInPipes: 'audio account',
        check: 'audio check',
        migrate: 'audio migrate',
      }
    : {
        account: 'npm run account --',
        accountInPipes: 'npm run --silent account --',
        check: 'npm run check',
        migrate: 'npm run migrate',
      };
}

export function ownVersion(): string {
  if (typeof BUILD_VERSION === 'string') return BUILD_VERSION;
  return JSON.parse(readFileSync(path.join(PROJECT_ROOT, 'package.json'), 'utf8')).version;
}
