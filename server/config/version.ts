import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from './folders.ts';

/** Replaced by the build (vite.server.config.ts). */
declare const BUILD_VERSION: string | undefined;

export function ownVersion(): string {
  if (typeof BUILD_VERSION === 'string') return BUILD_VERSION;
  return JSON.parse(readFileSync(path.join(PROJECT_ROOT, 'package.json'), 'utf8')).version;
}
