import type { Config } from './config.ts';
import type { Demo } from './demo/demo.ts';
import type { DEMO_ACCOUNT } from './demo/demoAccount.ts';

/** What the terminal says once the server is ready: where to go, with what account, where the data lies. */
export function welcome(started: {
  address: string;
  config: Config;
  streamBaseUrl: string;
  demo: Demo | null;
  demoAccount: typeof DEMO_ACCOUNT | null;
}): string {
  const { address, config, streamBaseUrl, demo, demoAccount } = started;
  const lines: Array<[label: string, value: string]> = [['Open', address]];
  if (demoAccount !== null) {
    const { username, password, company } = demoAccount;
    lines.push(['Sign in with', `${username} / ${password}  (${company})`]);
  }
  lines.push(['GraphQL', `${address}/graphql${config.apolloSandbox ? '  (Apollo Sandbox)' : ''}`]);
  lines.push(['Stream', streamBaseUrl]);
  if (demo?.databaseFolder != null) lines.push(['Data', demo.databaseFolder]);
  lines.push(['Stop', 'Ctrl-C']);
  const width = Math.max(...lines.map(([label]) => label.length)) + 2;
  return `\nAudio Oficial Premium is ready.\n\n${lines.map(([label, value]) => `  ${label.padEnd(width)}${value}\n`).join('')}\n`;
}
