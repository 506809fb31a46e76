import react from '@vitejs/plugin-react';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';
import { Shell } from './client/layout/Shell.tsx';
import { OLDEST_BROWSERS } from './client/start/oldestBrowsers.ts';
import { GRAPHQL_PATH, HEALTH_PATH, LIVE_PATH, READY_PATH } from './shared/paths.ts';

const API_ORIGIN = process.env.API_ORIGIN ?? 'http://127.0.0.1:4001';

/** Renders into the page what it shows before any script has run: the shell, and the versions that a browser needs. */
const firstPicture: Plugin = {
  name: 'first-picture',
  transformIndexHtml: (page) =>
    page
      .replace('<!-- shell -->', renderToStaticMarkup(createElement(Shell)))
      .replace(/{{(\w+)}}/g, (_, name: keyof typeof OLDEST_BROWSERS) => OLDEST_BROWSERS[name]),
};

export default defineConfig({
  root: 'client',
  plugins: [react(), firstPicture],
  // RxJS, which the Apollo Client uses, is otherwise taken as ES5 with helpers: 1 kB more.
  resolve: { conditions: ['es2015', ...defaultClientConditions] },
  build: {
    outDir: '../dist/client',
    emptyOutDir: true,
    target: Object.entries(OLDEST_BROWSERS).map(([name, version]) => name + version),
    // The first paint needs the styles before any script has run. No data: addresses: the Content-Security-Policy forbids most of them.
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    // No chunk needs another one that is not there yet.
    modulePreload: false,
  },
  server: {
    proxy: Object.fromEntries(
      [GRAPHQL_PATH, HEALTH_PATH, READY_PATH, LIVE_PATH].map((path) => [path, API_ORIGIN]),
    ),
  },
});
