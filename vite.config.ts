import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig } from 'vite';

const API_ORIGIN = process.env.API_ORIGIN ?? 'http://127.0.0.1:4001';

export default defineConfig({
  root: 'client',
  plugins: [react()],
  // rxjs offers its modern build under this condition only; it is smaller.
  resolve: { conditions: ['es2015', ...defaultClientConditions] },
  build: {
    outDir: '../dist/client',
    emptyOutDir: true,
    // The last browsers for Windows 7 and 8.1 (Chrome 109, Firefox 115) and for older Macs still stand in studios.
    target: ['es2020', 'chrome87', 'edge88', 'firefox78', 'safari14'],
    // One small stylesheet saves a request; no data: addresses keeps the Content-Security-Policy strict.
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    proxy: {
      '/graphql': API_ORIGIN,
      '/healthz': API_ORIGIN,
      '/readyz': API_ORIGIN,
    },
  },
});
