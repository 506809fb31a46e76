// Run before every build, whose tools fail without naming these causes.
import { existsSync, readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const needed = engines.node.replace('>=', '');
const [neededMajor, neededMinor] = needed.split('.').map(Number);
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < neededMajor || (major === neededMajor && minor < neededMinor)) {
  console.error(`Node.js ${needed} or later is needed, this is ${process.versions.node}.`);
  process.exit(1);
}
if (!existsSync(new URL('../node_modules', import.meta.url))) {
  console.error('The dependencies are not installed. Run: npm ci');
  process.exit(1);
}
// npm leaves the development packages out, which build, when it is told that this is production.
if (!existsSync(new URL('../node_modules/.bin/graphql-codegen', import.meta.url))) {
  console.error(
    "The build's packages are not installed (NODE_ENV=production or omit=dev). Run: npm ci --include=dev",
  );
  process.exit(1);
}
