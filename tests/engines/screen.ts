import { vi } from 'vitest';
import { launchServer, stopServer } from '../support/serverProcess.ts';
import { requireTool } from '../support/testTools.ts';

/** Starts an invisible screen; its programs see it by `env`. */
export async function startScreen(env: Record<string, string>) {
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
  return { env: { DISPLAY: display }, close: () => stopServer(xvfb, 'SIGTERM') };
}
