// Records what a build was made of, or compares: the commands of npm run what was built last, and say if that is old.
// Compares contents, since an unpacked archive or a copy keeps older times (docs/decisions/0035-npm-scripts.md).
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.dirname(import.meta.dirname);
const RECORD = path.join(ROOT, 'dist', 'sources.sha256');
/** The inputs of a build. Of the folders named `generated` it makes the content anew. */
const SOURCES = [
  'LICENSE',
  'client',
  'codegen.ts',
  'docs/api.md',
  'docs/players.md',
  'package-lock.json',
  'package.json',
  'prisma',
  'prisma.config.ts',
  'schema.graphql',
  'scripts',
  'server',
  'shared',
  'tsconfig.json',
  'vite.config.ts',
  'vite.server.config.ts',
];

const hash = createHash('sha256');
for (const source of SOURCES) add(source);
const state = hash.digest('hex');
if (process.argv[2] === 'record') writeFileSync(RECORD, state);
else compare();

/** @param {string} file */
function add(file) {
  const absolute = path.join(ROOT, file);
  if (!existsSync(absolute)) return;
  if (statSync(absolute).isDirectory()) {
    for (const name of readdirSync(absolute).sort()) if (name !== 'generated') add(`${file}/${name}`);
  } else {
    const content = readFileSync(absolute);
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
}

function compare() {
  if (!existsSync(path.join(ROOT, 'dist', 'server'))) {
    console.error('error: nothing is built here. Run: npm run build');
    process.exitCode = 1;
  } else if (!existsSync(RECORD) || readFileSync(RECORD, 'utf8') !== state) {
    console.error('warning: the build is older than the sources. Run: npm run build');
  }
}
