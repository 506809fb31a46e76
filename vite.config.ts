import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';

const API_ORIGIN = process.env.API_ORIGIN ?? 'http://127.0.0.1:4001';

const PAGE_SCRIPT = /<script type="module" crossorigin src="([^"]+)"><\/script>/;

/**
 * The built page only has its script fetched, and leaves it to client/start/afterPaint.ts to run it, and to have the dashboard's fetched
 * where that is what was asked for.
 */
const startAfterPaint: Plugin = {
  name: 'start-after-paint',
  apply: 'build',
  buildStart() {
    this.emitFile({ type: 'chunk', id: 'client/start/afterPaint.ts', name: 'afterPaint' });
  },
  transformIndexHtml: {
    order: 'post',
    handler(page, { bundle = {} }) {
      const addressOf = (chunk: string) => {
        const file = Object.values(bundle).find(({ name }) => name === chunk);
        if (!file) throw new Error(`There is no ${chunk} in the build`);
        return `/${file.fileName}`;
      };
      if (!PAGE_SCRIPT.test(page)) throw new Error('The built page has no script');
      return page.replace(
        PAGE_SCRIPT,
        `<script type="module" src="${addressOf('afterPaint')}"></script>
    <link rel="modulepreload" href="$1">
    <meta name="dashboard-script" content="${addressOf('Dashboard')}" />`,
      );
    },
  },
};

/** What is imported later has nothing of its own to be fetched with it: Vite's care for that would be 0.8 kB in front of the login screen. */
const plainImports: Plugin = {
  name: 'plain-imports',
  apply: 'build',
  enforce: 'pre',
  load: (id) =>
    id.endsWith('vite/preload-helper.js') ? 'export const __vitePreload = (load) => load();' : null,
};

export default defineConfig({
  root: 'client',
  plugins: [react(), startAfterPaint, plainImports],
  // rxjs offers its modern build under this condition only; it is smaller.
  resolve: { conditions: ['es2015', ...defaultClientConditions] },
  build: {
    outDir: '../dist/client',
    emptyOutDir: true,
    // The last browsers for Windows 7 and 8.1, for older Macs and for older iPhones still stand in studios. What is older still is
    // told so (client/start/afterPaint.ts, client/index.html).
    target: ['chrome109', 'edge109', 'firefox115', 'safari15.6'],
    // One small stylesheet saves a request; no data: addresses keeps the Content-Security-Policy strict.
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    modulePreload: false,
  },
  server: {
    proxy: {
      '/graphql': API_ORIGIN,
      '/healthz': API_ORIGIN,
      '/readyz': API_ORIGIN,
    },
  },
});
