import { startDemoProvider } from '../../server/demo/demoProvider.ts';
import { createStreamProvider } from '../../server/streamTokens/streamProvider.ts';
import { startTcpProxy } from '../support/tcpProxy.ts';
import { ACCOUNT, startTestApp } from '../support/testApp.ts';

/**
 * Starts the demo's live stream behind a proxy that can cut it, and the product with one account that makes tokens for
 * it.
 */
export async function startDemoStream() {
  let aheadMs = 0;
  let failure: Error | undefined;
  const now = () => Date.now() + aheadMs;
  const demo = await startDemoProvider({ host: '127.0.0.1', port: 0, clock: now });
  const { tokenUrl, streamBaseUrl } = demo;
  const stream = new URL(streamBaseUrl);
  const proxy = await startTcpProxy(Number(stream.port));
  stream.port = String(proxy.port);
  const log = { warn() {} };
  const provider = createStreamProvider({ tokenUrl, authSignParameter: 'wmsAuthSign', log });
  const tokens: string[] = [];
  const app = await startTestApp({
    streamBaseUrl: stream.href,
    clock: () => new Date(now()),
    trustProxy: 1,
    provider: {
      async fetchToken() {
        const thrown = failure;
        failure = undefined;
        if (thrown !== undefined) throw thrown;
        const token = await provider.fetchToken();
        tokens.push(token);
        return token;
      },
      close: () => provider.close(),
    },
  });
  await app.addAccount(ACCOUNT);
  return {
    app,
    tokens,
    proxy,
    streamBaseUrl,
    advance(ms: number) {
      aheadMs += ms;
    },
    failNext(error: Error) {
      failure = error;
    },
    async close() {
      proxy.close();
      await app.close();
      await demo.close();
    },
  };
}
