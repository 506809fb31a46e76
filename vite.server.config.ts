import { defineConfig } from 'vite';
import { buildVersion } from './scripts/buildVersion.ts';
import { licenses } from './scripts/licenses.ts';
import { UNBUNDLED_PACKAGES } from './scripts/unbundledPackages.ts';

const PACKAGES = /[\\/]node_modules[\\/]/;
/** Code that no server in production loads: its chunks lie in a folder of their own. */
const DEMO = /[\\/]server[\\/]demo[\\/]/;

/**
 * The process (`server/main.ts`) and the command lines, each with the packages that it
 * uses: reading a few large files starts in half the time of several hundred small ones.
 */
export default defineConfig({
  plugins: [licenses],
  publicDir: false,
  define: { BUILD_VERSION: JSON.stringify(buildVersion(import.meta.dirname)) },
  ssr: {
    noExternal: true,
    // `pg` asks for `pg-native` and works without it.
    external: [...UNBUNDLED_PACKAGES, 'pg-native'],
  },
  build: {
    ssr: true,
    target: 'node20',
    sourcemap: true,
    outDir: 'dist/server',
    emptyOutDir: true,
    rolldownOptions: {
      // Tests run the sources. Tree-shaking also removes calls that only throw, so the built server would behave otherwise.
      // It would save 7 MB of memory and 0.04 s of the start.
      treeshake: false,
      input: {
        main: 'server/main.ts',
        account: 'server/cli/account/main.ts',
        migrate: 'server/cli/migrate.ts',
        check: 'server/cli/check/main.ts',
      },
      output: {
        // Node keeps every source map that it loads: with the sources in them it takes 20 MB more.
        sourcemapExcludeSources: true,
        entryFileNames: '[name].js',
        chunkFileNames: ({ facadeModuleId, moduleIds }) =>
          [facadeModuleId ?? '', ...moduleIds].some((id) => DEMO.test(id))
            ? 'demo/[name]-[hash].js'
            : '[name]-[hash].js',
        // Removes white space alone: names stay, in stack traces too, and there is a quarter less to load.
        minify: { compress: false, mangle: false, codegen: true },
        codeSplitting: {
          groups: [{ name: 'packages', test: PACKAGES, tags: ['$initial'], entriesAware: true }],
        },
      },
    },
  },
});
