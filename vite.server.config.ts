import { defineConfig, type Plugin } from 'vite';

const PACKAGES = /[\\/]node_modules[\\/]/;

/**
 * The process (`server/main.ts`) and the account command line (`server/account.ts`), each with the packages that it
 * uses: reading a few large files starts in half the time of several hundred small ones.
 */
export default defineConfig({
  plugins: [sourceMapsOfOurCodeAlone()],
  publicDir: false,
  ssr: {
    noExternal: true,
    // Native code and WebAssembly are files of their own.
    external: ['@node-rs/argon2', '@prisma/schema-engine-wasm', 'pg-native'],
  },
  build: {
    ssr: true,
    target: 'node20',
    sourcemap: true,
    outDir: 'dist/server',
    emptyOutDir: true,
    rolldownOptions: {
      input: { main: 'server/main.ts', account: 'server/account.ts' },
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: '[name]-[hash].js',
        // White space alone: names stay, in stack traces too, and there is a quarter less to read and to keep.
        minify: { compress: false, mangle: false, codegen: true },
        codeSplitting: {
          groups: [{ name: 'packages', test: PACKAGES, tags: ['$initial'], entriesAware: true }],
        },
      },
    },
  },
});

/** Node reads the source map of whatever it loads: those of the packages would double the start and the memory. */
function sourceMapsOfOurCodeAlone(): Plugin {
  return {
    name: 'source-maps-of-our-code-alone',
    generateBundle(_options, bundle) {
      for (const output of Object.values(bundle)) {
        if (output.type !== 'chunk' || !output.moduleIds.every(isPackagesOrBundlers)) continue;
        output.code = output.code.replace(/\/\/# sourceMappingURL=\S+\s*$/, '');
        output.map = null;
        delete bundle[`${output.fileName}.map`];
      }
    },
  };
}

function isPackagesOrBundlers(moduleId: string): boolean {
  return PACKAGES.test(moduleId) || moduleId.startsWith('\0');
}
