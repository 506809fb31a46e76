import react from '@vitejs/plugin-react';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';
import { Shell } from './client/layout/Shell.tsx';

const API_ORIGIN = process.env.API_ORIGIN ?? 'http://127.0.0.1:4001';

/** Renders the shell into the page, which shows it before any script has run. */
const firstPicture: Plugin = {
  name: 'first-picture',
  transformIndexHtml: (page) => page.replace('<!-- shell -->', renderToStaticMarkup(createElement(Shell))),
};

export default defineConfig({
  root: 'client',
  plugins: [react(), firstPicture],
  // RxJS, which the Apollo Client uses, is otherwise taken as ES5 with helpers: 1 kB more.
  resolve: { conditions: ['es2015', ...defaultClientConditions] },
  build: {
    outDir: '../dist/client',
    emptyOutDir: true,
    // The last versions for Windows 7 and 8.1, older Macs and older iPhones, which studios still use. Older browsers show a message
    // (client/start/afterPaint.ts, client/index.html).
    target: ['chrome109', 'edge109', 'firefox115', 'safari15.6'],
    // The first paint needs the styles before any script has run. No data: addresses: the Content-Security-Policy forbids most of them.
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    // No chunk needs another one that is not there yet.
    modulePreload: false,
  },
  server: {
    proxy: {
      '/graphql': API_ORIGIN,
      '/healthz': API_ORIGIN,
      '/readyz': API_ORIGIN,
      '/live/': API_ORIGIN,
    },
  },
});
