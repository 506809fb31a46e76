import { launchServer, stopServer } from '../support/serverProcess.ts';
import { requireTool } from '../support/testTools.ts';
import { written } from './engineBrowser.ts';

export async function startScreen(env: Record<string, string>) {
  const xvfb = launchServer(['-displayfd', '1', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'], env, {
    program: requireTool('Xvfb'),
  });
  const number = await written(xvfb, /^(\d+)/m);
  return { env: { DISPLAY: `:${number}` }, close: () => stopServer(xvfb, 'SIGTERM') };
}
