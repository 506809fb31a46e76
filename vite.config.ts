import react from '@vitejs/plugin-react';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';
import { Shell } from './client/login/EntranceLayout.tsx';
import { docPages } from './scripts/docPages.ts';
import { licenses } from './scripts/licenses.ts';
import { precompress } from './scripts/precompress.ts';
import { GRAPHQL_PATH, HEALTH_PATH, LIVE_PATH, READY_PATH, SCHEMA_PATH } from './shared/paths.ts';

/** The last versions for Windows 7 and 8.1, older Macs and iPhones. Others get a message (client/index.html). */
const OLDEST_BROWSERS = { chrome: '109', edge: '109', firefox: '115', safari: '15.6' };

/** Where `npm run dev` starts the API. */
const API_ORIGIN = 'http://127.0.0.1:4000';

/** Renders into the page what it shows before any script has run: the shell, and the versions that a browser needs. */
const firstPicture: Plugin = {
  name: 'first-picture',
  transformIndexHtml: (page) =>
    page
      .replace('<!-- shell -->', renderToStaticMarkup(createElement(Shell)))
      .replace(/{{(\w+)}}/g, (_, name: keyof typeof OLDEST_BROWSERS) => OLDEST_BROWSERS[name]),
};

/** The pages of `docs/` that the server serves; while developing, rendered anew for each request. */
const docs: Plugin = {
  name: 'docs',
  generateBundle() {
    for (const { route, html } of docPages())
      this.emitFile({ type: 'asset', fileName: `${route.slice(1)}.html`, source: html });
  },
  configureServer({ middlewares }) {
    middlewares.use((request, response, next) => {
      const page = docPages().find(({ route }) => route === request.url);
      if (page === undefined) return next();
      response.setHeader('content-type', 'text/html; charset=utf-8').end(page.html);
    });
  },
};

/** Compresses here rather than for each request. */
const compression: Plugin = {
  name: 'compression',
  apply: 'build',
  writeBundle: ({ dir = '' }) => precompress(dir),
};

export default defineConfig({
  root: 'client',
  plugins: [react(), firstPicture, docs, licenses, compression],
  // RxJS, which the Apollo Client uses, is otherwise taken as ES5 with helpers: 1.5 kB more.
  resolve: { conditions: ['es2015', ...defaultClientConditions] },
  build: {
    outDir: '../dist/client',
    emptyOutDir: true,
    target: Object.entries(OLDEST_BROWSERS).map(([name, version]) => name + version),
    // The first paint needs the styles before any script has run. No data: addresses: the Content-Security-Policy
    // forbids most of them.
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    rolldownOptions: {
      // Else a build warns that compressing takes longer than everything else.
      checks: { pluginTimings: false },
    },
  },
  server: {
    strictPort: true,
    proxy: Object.fromEntries(
      [GRAPHQL_PATH, HEALTH_PATH, READY_PATH, LIVE_PATH, SCHEMA_PATH].map((path) => [path, API_ORIGIN]),
    ),
  },
});
