// @ts-check
// Tells whether a build is up to date by the content of what it reads (docs/decisions/0033-build-on-start.md).
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Everything that a build reads. */
const BUILD_INPUTS = [
  'client',
  'server',
  'shared',
  'prisma',
  'scripts',
  'schema.graphql',
  'docs/api.md',
  'docs/players.md',
  'codegen.ts',
  'prisma.config.ts',
  'vite.config.ts',
  'vite.server.config.ts',
  'tsconfig.json',
  'package.json',
  'package-lock.json',
];
/** Folders of generated code have this name everywhere. They follow from the rest. */
const GENERATED = 'generated';
const RECORD = 'dist/build.fingerprint';

/**
 * `vite.server.config.ts` says which source each is built from.
 * @type {Record<string, string>}
 */
export const BUILT_ENTRIES = {
  server: 'dist/server/main.js',
  account: 'dist/server/account.js',
  migrate: 'dist/server/migrate.js',
  check: 'dist/server/check.js',
};

/**
 * Tells whether `dist/` holds what a build would make now.
 * @param {string} root
 */
export function isBuildFresh(root) {
  const record = path.join(root, RECORD);
  const needed = [...Object.values(BUILT_ENTRIES).map((file) => path.join(root, file)), record];
  return needed.every((file) => existsSync(file)) && readFileSync(record, 'utf8') === buildFingerprint(root);
}

/**
 * Hashes the names and contents of everything that a build reads: equal as long as no file is added, removed, renamed
 * or changed. A missing path counts as empty.
 * @param {string} root
 * @returns {string}
 */
export function buildFingerprint(root) {
  const hash = createHash('sha256');
  for (const file of BUILD_INPUTS.flatMap((input) => filesIn(root, input))) {
    const content = readFileSync(path.join(root, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/**
 * @param {string} root
 * @param {string} fingerprint
 */
export function recordBuild(root, fingerprint) {
  writeFileSync(path.join(root, RECORD), fingerprint);
}

/**
 * Call it before changing `dist/`, so that a build cut short never counts as fresh.
 * @param {string} root
 */
export function forgetBuild(root) {
  rmSync(path.join(root, RECORD), { force: true });
}

/**
 * @param {string} root
 * @param {string} file
 * @returns {string[]} sorted, so that the order of the file system does not matter
 */
function filesIn(root, file) {
  const stat = statSync(path.join(root, file), { throwIfNoEntry: false });
  if (stat === undefined || path.basename(file) === GENERATED) return [];
  if (!stat.isDirectory()) return [file];
  return readdirSync(path.join(root, file))
    .sort()
    .flatMap((name) => filesIn(root, `${file}/${name}`));
}
