import { WebSocket } from 'undici';
import { launchServer, stopServer } from '../support/serverProcess.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { requireTool } from '../support/testTools.ts';
import { type EngineBrowser, type EngineTab, pressingCtrl, typing, written } from './engineBrowser.ts';

type Evaluated = { result?: { value?: string }; exceptionDetails?: { text: string } };

/** Keeps Firefox from asking anything and from updating itself. */
const PREFERENCES = `
user_pref("app.update.disabledForTesting", true);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("toolkit.telemetry.reportingpolicy.firstRun", false);
`;

/**
 * Firefox by WebDriver BiDi, the protocol that it speaks without a driver (w3.org/TR/webdriver-bidi). Spoken here
 * directly, because puppeteer-core would add 68 packages and 53 MB.
 */
export async function launchFirefox(env: Record<string, string>): Promise<EngineBrowser> {
  const profile = temporaryFolder({ 'user.js': PREFERENCES });
  const firefox = launchServer(
    ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port=0'],
    env,
    { program: requireTool('firefox-esr') },
  );
  const address = await written(firefox, /WebDriver BiDi listening on (ws:\S+)/);
  const command = await connect(`${address}/session`);
  await command('session.new', { capabilities: {} });
  const { contexts } = await command<{ contexts: Array<{ context: string }> }>('browsingContext.getTree', {});
  return {
    ...tabOf(command, contexts[0]?.context ?? ''),
    async openTab() {
      const { context } = await command<{ context: string }>('browsingContext.create', { type: 'tab' });
      return tabOf(command, context);
    },
    async close() {
      await stopServer(firefox, 'SIGTERM');
    },
  };
}

function tabOf(command: Command, context: string): EngineTab {
  const target = { context };
  return {
    open: (url) => command<void>('browsingContext.navigate', { context, url, wait: 'complete' }),
    async click(xpath) {
      const { nodes } = await command<{ nodes: Array<{ sharedId: string }> }>('browsingContext.locateNodes', {
        context,
        locator: { type: 'xpath', value: xpath },
      });
      const [element] = nodes;
      if (element === undefined) throw new Error(`There is no ${xpath}`);
      await command('script.callFunction', {
        functionDeclaration: '(element) => element.scrollIntoView({ block: "center" })',
        arguments: [element],
        awaitPromise: false,
        target,
      });
      const origin = { type: 'element', element };
      const actions = [
        { type: 'pointerMove', x: 0, y: 0, origin },
        { type: 'pointerDown', button: 0 },
        { type: 'pointerUp', button: 0 },
      ];
      await command('input.performActions', {
        context,
        actions: [{ type: 'pointer', id: 'mouse', actions }],
      });
    },
    type: (text) => command<void>('input.performActions', { context, ...typing(text) }),
    pressCtrl: (letter) => command<void>('input.performActions', { context, ...pressingCtrl(letter) }),
    async evaluate(expression) {
      const { result, exceptionDetails } = await command<Evaluated>('script.evaluate', {
        expression: `JSON.stringify(${expression})`,
        awaitPromise: true,
        target,
      });
      if (exceptionDetails) throw new Error(exceptionDetails.text);
      return result?.value === undefined ? undefined : JSON.parse(result.value);
    },
  };
}

type Command = Awaited<ReturnType<typeof connect>>;

/** Connects to a BiDi server. Returns a function that sends a command and resolves to its result. */
async function connect(address: string) {
  const socket = new WebSocket(address);
  const waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  socket.addEventListener('message', ({ data }) => {
    const answer = JSON.parse(data);
    const asked = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (answer.type === 'error') asked?.reject(new Error(`${answer.error}: ${answer.message}`));
    else asked?.resolve(answer.result);
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', reject);
  });
  let lastId = 0;
  return async <Result>(method: string, params: unknown): Promise<Result> => {
    lastId += 1;
    const id = lastId;
    const answered = new Promise<unknown>((resolve, reject) => waiting.set(id, { resolve, reject }));
    socket.send(JSON.stringify({ id, method, params }));
    return (await answered) as Result;
  };
}
