import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { UNBUNDLED_PACKAGES } from '../vite.server.config.ts';
import { isBuildFresh } from './freshness.mjs';
import { ROOT, reportFailure } from './steps.ts';

/** What the server reads at run time, besides the packages that are not bundled. */
const FILES = ['dist/client', 'dist/server', 'prisma', 'schema.graphql'];
/** Reached in production by nothing. */
const LEFT_OUT = ['dist/server/demo'];

type Manifest = {
  name: string;
  version: string;
  type: string;
  engines: Record<string, string>;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
};

/** Asked for what cannot be done; the message says all. */
class UsageError extends Error {}

try {
  assemble(process.argv[2]);
} catch (error) {
  if (error instanceof UsageError) {
    console.error(error.message);
    process.exitCode = 1;
  } else reportFailure(error);
}

/**
 * Puts into an empty folder the whole server as production needs it, and nothing else: what is built, the migrations,
 * and the few packages that are not bundled, for the platform that this runs on.
 */
function assemble(argument: string | undefined): void {
  if (argument === undefined) throw new UsageError('Usage: npm run assemble -- FOLDER');
  const folder = path.resolve(argument);
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new UsageError(`${folder} is not empty.`);
  if (!isBuildFresh(ROOT)) throw new UsageError('dist/ is missing or out of date. Run: npm run build');

  const leftOut = LEFT_OUT.map((file) => path.join(ROOT, file));
  for (const file of FILES) {
    cpSync(path.join(ROOT, file), path.join(folder, file), {
      recursive: true,
      filter: (source) => !leftOut.includes(source),
    });
  }
  for (const name of UNBUNDLED_PACKAGES) copyPackage(name, folder);
  const { name, version, type, engines } = manifestIn(ROOT);
  writeFileSync(
    path.join(folder, 'package.json'),
    `${JSON.stringify({ name, version, private: true, type, engines }, null, 2)}\n`,
  );
}

/** With what it needs; of its binaries for all platforms, npm installed those that run here. */
function copyPackage(name: string, folder: string): void {
  const [source, target] = [ROOT, folder].map((root) => path.join(root, 'node_modules', name));
  if (source === undefined || target === undefined || existsSync(target)) return;
  const { dependencies = {}, optionalDependencies = {} } = manifestIn(source);
  mkdirSync(path.dirname(target), { recursive: true });
  cpSync(source, target, { recursive: true, dereference: true });
  for (const needed of Object.keys(dependencies)) copyPackage(needed, folder);
  for (const wanted of Object.keys(optionalDependencies)) {
    if (existsSync(path.join(ROOT, 'node_modules', wanted))) copyPackage(wanted, folder);
  }
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
}
