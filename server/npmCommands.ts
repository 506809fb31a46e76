import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from './config/folders.ts';

const NPM_COMMAND = /npm run (?:--silent )?(account|check|migrate)(?: --(?= ))?/g;

/**
 * Returns a text for the operator with the commands in it as they are called here: by npm in the project's folder; in
 * an installation, which has no scripts of npm, by the shell function `audio` of docs/operations.md.
 */
export function rewriteNpmCommands(text: string, folder = PROJECT_ROOT): string {
  const manifest = readFileSync(path.join(folder, 'package.json'), 'utf8');
  const { scripts }: { scripts?: object } = JSON.parse(manifest);
  return scripts === undefined ? text.replaceAll(NPM_COMMAND, 'audio $1') : text;
}
