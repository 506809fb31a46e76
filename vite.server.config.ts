import { readFile } from 'node:fs/promises';
import { defineConfig, type Plugin } from 'vite';

/** Native code and WebAssembly, files of their own: the packages that the server needs beside what is built. */
export const UNBUNDLED_PACKAGES = ['@node-rs/argon2', '@prisma/schema-engine-wasm'];

const PACKAGES = /[\\/]node_modules[\\/]/;
const QUERY_COMPILER = /[\\/]query_compiler_\w+\.postgresql\.wasm-base64\.mjs$/;
const QUERY_COMPILER_FILE = 'query_compiler.wasm';
/** What no server in production loads: the chunks of it lie in a folder of their own. */
const DEMO = /[\\/]server[\\/]demo[\\/]/;

/**
 * The process (`server/main.ts`) and the account command line (`server/cli/main.ts`), each with the packages that it
 * uses: reading a few large files starts in half the time of several hundred small ones.
 */
export default defineConfig({
  plugins: [queryCompilerAsFile(), packagesAsTheyAre()],
  publicDir: false,
  ssr: {
    noExternal: true,
    // The last one is asked for by `pg`, which does without.
    external: [...UNBUNDLED_PACKAGES, 'pg-native'],
  },
  build: {
    ssr: true,
    ssrEmitAssets: true,
    target: 'node20',
    sourcemap: true,
    outDir: 'dist/server',
    emptyOutDir: true,
    rolldownOptions: {
      input: { main: 'server/main.ts', account: 'server/cli/main.ts' },
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: ({ facadeModuleId, moduleIds }) =>
          [facadeModuleId ?? '', ...moduleIds].some((id) => DEMO.test(id))
            ? 'demo/[name]-[hash].js'
            : '[name]-[hash].js',
        // White space alone: names stay, in stack traces too, and there is a quarter less to read and to keep.
        minify: { compress: false, mangle: false, codegen: true },
        codeSplitting: {
          groups: [{ name: 'packages', test: PACKAGES, tags: ['$initial'], entriesAware: true }],
        },
      },
    },
  },
});

/** As text in JavaScript, as which it comes, it would be kept three times: as source, as a string and as bytes. */
function queryCompilerAsFile(): Plugin {
  return {
    name: 'query-compiler-as-file',
    enforce: 'pre',
    async load(id) {
      if (!QUERY_COMPILER.test(id)) return null;
      const base64 = /["'`]([A-Za-z\d+/=]{1000,})["'`]/.exec(await readFile(id, 'utf8'))?.[1];
      if (base64 === undefined) throw new Error(`There is no query compiler in ${id}`);
      this.emitFile({
        type: 'asset',
        fileName: QUERY_COMPILER_FILE,
        source: Buffer.from(base64, 'base64'),
      });
      return `import { readFileSync } from 'node:fs';
        export const wasm = readFileSync(new URL('${QUERY_COMPILER_FILE}', import.meta.url));`;
    },
  };
}

/**
 * Node reads the source map of whatever it loads: those of the packages would double the start and the memory. And one
 * character beyond Latin-1 makes V8 keep all of a file in two bytes a character.
 */
function packagesAsTheyAre(): Plugin {
  return {
    name: 'packages-as-they-are',
    generateBundle(_options, bundle) {
      for (const output of Object.values(bundle)) {
        if (output.type !== 'chunk' || !output.moduleIds.every(isPackagesOrBundlers)) continue;
        output.code = output.code
          .replace(/\/\/# sourceMappingURL=\S+\s*$/, '')
          .replace(/[\u0100-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
        output.map = null;
        delete bundle[`${output.fileName}.map`];
      }
    },
  };
}

function isPackagesOrBundlers(moduleId: string): boolean {
  return PACKAGES.test(moduleId) || moduleId.startsWith('\0');
}
