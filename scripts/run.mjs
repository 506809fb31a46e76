// @ts-check
// Builds on start (docs/decisions/0033-build-on-start.md). Plain JavaScript: TypeScript would need a build first.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { BUILT_ENTRIES, isBuildFresh } from './freshness.mjs';

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const NEEDED_NODE = { major: 20, minor: 19 };
/** Missing if only `dist/` was deployed. */
const SOURCE = 'server/main.ts';
const BUILD_TOOLS = ['tsx', 'vite', 'prisma', '@graphql-codegen/cli'];
/** Run by tsx, a development dependency. */
const SCRIPTS = ['build', 'assemble'];
const CANNOT_BUILD = 'the development dependencies that a build needs are not installed';
const INSTALL_AND_BUILD = 'Run: npm ci --include=dev && npm run build';

await run(process.argv[2], process.argv.slice(3));

/**
 * Builds what is missing or out of date, then runs it in this process; or runs one of the scripts. Its own messages
 * go to standard error, since standard output belongs to the program.
 * @param {string | undefined} name
 * @param {string[]} args
 */
async function run(name, args) {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < NEEDED_NODE.major || (major === NEEDED_NODE.major && minor < NEEDED_NODE.minor)) {
    fail(
      `Node.js ${NEEDED_NODE.major}.${NEEDED_NODE.minor} or later is needed, this is ${process.versions.node}.`,
    );
  }
  if (!existsSync(path.join(ROOT, 'node_modules'))) {
    fail('The dependencies are not installed. Run: npm ci');
  }
  if (name !== undefined && SCRIPTS.includes(name)) {
    if (!canBuild()) fail(`Nothing is built: ${CANNOT_BUILD}. ${INSTALL_AND_BUILD}`);
    return runScript(name, args, process.stdout);
  }
  const built = BUILT_ENTRIES[name ?? ''];
  if (built === undefined) {
    fail(
      `Usage: node scripts/run.mjs ${[...Object.keys(BUILT_ENTRIES), ...SCRIPTS].join(' | ')} [arguments]`,
    );
  }
  const entry = path.join(ROOT, built);
  if (canBuild()) {
    if (!isBuildFresh(ROOT)) await runScript('build', ['--if-stale'], process.stderr);
  } else if (!existsSync(entry)) {
    fail(`Nothing is built in dist/, and ${CANNOT_BUILD}. ${INSTALL_AND_BUILD}`);
  } else if (existsSync(path.join(ROOT, SOURCE)) && !isBuildFresh(ROOT)) {
    console.error(
      `Warning: dist/ was built from other sources than these, and ${CANNOT_BUILD}. ${INSTALL_AND_BUILD}`,
    );
  }
  process.setSourceMapsEnabled(true);
  process.argv = [process.execPath, entry, ...args];
  await import(pathToFileURL(entry).href);
}

/** False after `npm ci --omit=dev`, and where only `dist/` was deployed. */
function canBuild() {
  const needed = [...BUILD_TOOLS.map((tool) => `node_modules/${tool}`), SOURCE];
  return needed.every((file) => existsSync(path.join(ROOT, file)));
}

/**
 * Runs a script in a child process; ends this one if that fails or is stopped.
 * @param {string} name
 * @param {string[]} args
 * @param {NodeJS.WriteStream} stdout
 */
async function runScript(name, args, stdout) {
  const child = spawn(process.execPath, ['--import', 'tsx', `scripts/${name}.ts`, ...args], {
    cwd: ROOT,
    stdio: ['ignore', stdout, process.stderr],
  });
  /** @param {NodeJS.Signals} signal */
  const forward = (signal) => child.kill(signal);
  process.on('SIGINT', forward).on('SIGTERM', forward);
  const exitCode = await new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(signal === null ? code : 128 + constants.signals[signal]));
    child.once('error', (error) => fail(`The ${name} script could not be started: ${error.message}`));
  });
  process.off('SIGINT', forward).off('SIGTERM', forward);
  if (exitCode !== 0) process.exit(exitCode);
}

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  console.error(message);
  process.exit(1);
}
