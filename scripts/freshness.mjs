// @ts-check
// Tells whether a build is up to date by the content of what it reads, since file times change with every checkout. Our own,
// since build tools watch files while they run, and `npm start` asks before any of them is loaded.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Everything that a build reads; generated code is left out, since it follows from the rest. */
const BUILD_INPUTS = [
  'client',
  'server',
  'shared',
  'prisma',
  'scripts',
  'schema.graphql',
  'codegen.ts',
  'prisma.config.ts',
  'vite.config.ts',
  'vite.server.config.ts',
  'tsconfig.json',
  'package.json',
  'package-lock.json',
];
/** The files that each generator writes. */
export const GENERATED_CODE = {
  prisma: ['server/generated/prisma'],
  graphql: [
    'client/api/gql',
    'docs/examples/gql',
    'server/graphql/resolverTypes.generated.ts',
    'shared/schemaEnums.generated.ts',
  ],
};

const BUILT_ENTRIES = {
  server: 'dist/server/main.js',
  account: 'dist/server/account.js',
  migrate: 'dist/server/migrate.js',
  check: 'dist/server/check.js',
};

/** @typedef {keyof typeof BUILT_ENTRIES} Entry */

/**
 * Returns the built file to import.
 * @param {string} root
 * @param {Entry} entry
 */
export function builtEntry(root, entry) {
  return path.join(root, BUILT_ENTRIES[entry]);
}

/**
 * Hashes the names and contents of the files, and of all files in the folders: it is equal as long as no file is added,
 * removed, renamed or changed. A missing path counts as empty.
 * @param {string} root the folder that the paths are relative to
 * @param {readonly string[]} paths
 * @param {readonly string[]} [except] files and folders to leave out
 * @returns {string}
 */
export function fingerprint(root, paths, except = []) {
  const hash = createHash('sha256');
  for (const file of paths.flatMap((each) => filesIn(root, each, except))) {
    const content = readFileSync(path.join(root, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/**
 * Returns the fingerprint of everything that a build reads.
 * @param {string} root
 */
export function buildFingerprint(root) {
  return fingerprint(root, BUILD_INPUTS, Object.values(GENERATED_CODE).flat());
}

/**
 * Tells whether `dist/` holds what a build would make now.
 * @param {string} root
 */
export function isBuildFresh(root) {
  const complete = Object.values(BUILT_ENTRIES).every((file) => existsSync(path.join(root, file)));
  return complete && recordedFingerprint(root, 'build') === buildFingerprint(root);
}

/**
 * @param {string} root
 * @param {string} result whose fingerprint to read
 * @returns {string | undefined}
 */
export function recordedFingerprint(root, result) {
  const file = recordOf(root, result);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/**
 * @param {string} root
 * @param {string} result
 * @param {string} value
 */
export function recordFingerprint(root, result, value) {
  const file = recordOf(root, result);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, value);
}

/**
 * Call it before changing a result, so that work cut short is never taken for done.
 * @param {string} root
 * @param {string} result
 */
export function forgetFingerprint(root, result) {
  rmSync(recordOf(root, result), { force: true });
}

/**
 * @param {string} root
 * @param {string} result
 */
function recordOf(root, result) {
  return path.join(root, 'dist', `${result}.fingerprint`);
}

/**
 * @param {string} root
 * @param {string} file
 * @param {readonly string[]} except
 * @returns {string[]} sorted, so that the order of the file system does not matter
 */
function filesIn(root, file, except) {
  if (except.includes(file)) return [];
  const stat = statSync(path.join(root, file), { throwIfNoEntry: false });
  if (stat === undefined) return [];
  if (!stat.isDirectory()) return [file];
  return readdirSync(path.join(root, file))
    .sort()
    .flatMap((name) => filesIn(root, `${file}/${name}`, except));
}
