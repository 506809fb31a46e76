import { exitOnSignals, reportFailure, runTool, secondsSince } from './steps.ts';

const CHECKS: Record<string, () => Promise<unknown>> = {
  // Before the build, which brings the generated code up to date.
  'generated code is up to date': () => runTool('graphql-codegen', ['--check', '--errors-only']),
  build: () => runTool('tsx', ['scripts/build.ts']),
  'types of server and scripts': () => runTool('tsc', []),
  'types of client': () => runTool('tsc', ['-p', 'client']),
  'types of tests': () => runTool('tsc', ['-p', 'tests']),
  'lint and format': () => runTool('biome', ['check', '--error-on-warnings', '.']),
  'no unused code or dependency': () => runTool('knip', ['--no-progress', '--no-config-hints']),
  'client within its size limits': () => runTool('size-limit', []),
};

exitOnSignals();
for (const [name, check] of Object.entries(CHECKS)) {
  const startMs = performance.now();
  try {
    await check();
    console.log(`ok     ${name} (${secondsSince(startMs)})`);
  } catch (error) {
    reportFailure(error);
    console.log(`FAILED ${name} (${secondsSince(startMs)})`);
  }
}
