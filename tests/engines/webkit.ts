import { vi } from 'vitest';
import { freePort } from '../support/freePort.ts';
import { launchServer, stopServer } from '../support/serverProcess.ts';
import { requireTool } from '../support/testTools.ts';
import { type EngineBrowser, pressingCtrl, typing } from './engineBrowser.ts';

/** The name of the member in which WebDriver wraps an element (w3.org/TR/webdriver2). */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

/** WebKit's MiniBrowser by WebDriver over HTTP, on an invisible screen. */
export async function launchWebKit(env: Record<string, string>): Promise<EngineBrowser> {
  const xvfb = launchServer(['-displayfd', '1', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'], env, {
    program: requireTool('Xvfb'),
  });
  const display = await vi.waitFor(
    () => {
      const number = /^\d+/m.exec(xvfb.output)?.[0];
      if (number === undefined) throw new Error(`Xvfb shows no screen: ${xvfb.output}`);
      return `:${number}`;
    },
    { timeout: 20_000 },
  );
  const port = await freePort();
  const driver = launchServer(
    [`--port=${port}`],
    {
      ...env,
      DISPLAY: display,
      GSETTINGS_BACKEND: 'memory',
      // Its sandbox does not start for root, nor in most containers.
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
    },
    { program: requireTool('WebKitWebDriver') },
  );

  async function command<Value>(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: unknown,
  ): Promise<Value> {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as { value: Value };
    if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer.value)}`);
    return answer.value;
  }

  await vi.waitFor(() => command('GET', '/status'), { timeout: 20_000 });
  const { sessionId } = await command<{ sessionId: string }>('POST', '/session', {
    capabilities: {
      alwaysMatch: {
        'webkitgtk:browserOptions': { binary: requireTool('MiniBrowser'), args: ['--automation'] },
      },
    },
  });
  const session = `/session/${sessionId}`;

  return {
    open: (url) => command<void>('POST', `${session}/url`, { url }),
    async click(xpath) {
      const found = await command<{ [ELEMENT]: string }>('POST', `${session}/element`, {
        using: 'xpath',
        value: xpath,
      });
      await command('POST', `${session}/element/${found[ELEMENT]}/click`, {});
    },
    type: (text) => command<void>('POST', `${session}/actions`, typing(text)),
    pressCtrl: (letter) => command<void>('POST', `${session}/actions`, pressingCtrl(letter)),
    async evaluate(expression) {
      const json = await command<string | null>('POST', `${session}/execute/sync`, {
        script: `return JSON.stringify(${expression})`,
        args: [],
      });
      return json === null ? undefined : JSON.parse(json);
    },
    async close() {
      await command('DELETE', session);
      await stopServer(driver, 'SIGTERM');
      await stopServer(xvfb, 'SIGTERM');
    },
  };
}
