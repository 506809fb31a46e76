import { vi } from 'vitest';
import { freePort } from '../support/freePort.ts';
import { launchServer, stopServer } from '../support/serverProcess.ts';
import { requireTool } from '../support/testTools.ts';
import { type EngineBrowser, type EngineTab, pressingCtrl, typing } from './engineBrowser.ts';
import { startScreen } from './screen.ts';

/** The name of the member in which WebDriver wraps an element (w3.org/TR/webdriver2). */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

/** WebKit's MiniBrowser by WebDriver over HTTP, on an invisible screen. */
export async function launchWebKit(env: Record<string, string>): Promise<EngineBrowser> {
  const screen = await startScreen(env);
  const port = await freePort();
  const driver = launchServer(
    [`--port=${port}`],
    {
      ...env,
      ...screen.env,
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

  /** Commands go to the window that was switched to last. */
  function tabOf(handle: string): EngineTab {
    async function inTab<Value>(path: string, body: unknown): Promise<Value> {
      await command('POST', `${session}/window`, { handle });
      return command<Value>('POST', `${session}${path}`, body);
    }
    return {
      open: (url) => inTab<void>('/url', { url }),
      async click(xpath) {
        const found = await inTab<{ [ELEMENT]: string }>('/element', { using: 'xpath', value: xpath });
        await inTab(`/element/${found[ELEMENT]}/click`, {});
      },
      type: (text) => inTab<void>('/actions', typing(text)),
      pressCtrl: (letter) => inTab<void>('/actions', pressingCtrl(letter)),
      async evaluate(expression) {
        const script = `return JSON.stringify(${expression})`;
        const json = await inTab<string | null>('/execute/sync', { script, args: [] });
        return json === null ? undefined : JSON.parse(json);
      },
    };
  }

  return {
    ...tabOf(await command<string>('GET', `${session}/window`)),
    async openTab() {
      const { handle } = await command<{ handle: string }>('POST', `${session}/window/new`, { type: 'tab' });
      return tabOf(handle);
    },
    async close() {
      await command('DELETE', session);
      await stopServer(driver, 'SIGTERM');
      await screen.close();
    },
  };
}
