import { exitOnSignals, reportFailure, runTool, secondsSince } from './steps.ts';

const CHECKS: Record<string, () => Promise<unknown>> = {
  // First of all, for the build brings the generated code up to date.
  'generated code is up to date': () => runTool('graphql-codegen', ['--check', '--errors-only']),
  'types of server and scripts': async () => {
    await runTool('tsx', ['scripts/generate.ts']);
    await runTool('tsc', []);
  },
  'types of client': () => runTool('tsc', ['-p', 'client']),
  'types of tests': () => runTool('tsc', ['-p', 'tests']),
  'lint and format': () => runTool('biome', ['check', '--error-on-warnings', '.']),
  'no unused code or dependency': () => runTool('knip', ['--no-progress', '--no-config-hints']),
  build: () => runTool('tsx', ['scripts/build.ts']),
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
