import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { createServer } from 'vite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/paths.ts';

test("npm run dev forwards the API's paths", async () => {
  const api = createHttpServer((request, response) => void response.end(`the API got ${request.url}`));
  await once(api.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void api.close());
  vi.stubEnv('API_ORIGIN', `http://127.0.0.1:${(api.address() as AddressInfo).port}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const page = await createServer({
    configFile: path.join(PROJECT_ROOT, 'vite.config.ts'),
    logLevel: 'error',
    server: { host: '127.0.0.1', port: 0, ws: false, watch: null },
    optimizeDeps: { noDiscovery: true },
  });
  onTestFinished(() => page.close());
  await page.listen();
  const [origin = ''] = page.resolvedUrls?.local ?? [];
  for (const asked of ['/graphql', '/healthz', '/readyz', '/live/a-key']) {
    const answer = await fetch(new URL(asked, origin), { headers: { connection: 'close' } });
    expect(await answer.text()).toBe(`the API got ${asked}`);
  }
});
