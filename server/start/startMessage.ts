import { GRAPHQL_PATH } from '../../shared/paths.ts';
import { isEveryAddress } from '../config/addresses.ts';
import { type Config, isComplete } from '../config/config.ts';
import { COMMANDS } from '../config/installation.ts';
import type { DEMO_ACCOUNT, Demo } from '../demo/demo.ts';

const DEMO_TOKENS =
  "STREAM_BASE_URL is set without PROVIDER_TOKEN_URL: the tokens are the demo's, and will not play there";
const DEMO_STREAM =
  "PROVIDER_TOKEN_URL is set without STREAM_BASE_URL: its tokens are for its own stream, not for the demo's";

const SHARED_DATABASE =
  'PostgreSQL does not run as root, so it runs as `nobody`: other programs of that user can change its data';

const NOT_PRODUCTION = 'NODE_ENV is not production: requests are not logged';
const SANDBOX_OPEN = ', and Apollo Sandbox and introspection are open to everybody';

export function welcome(started: {
  address: string;
  config: Config;
  streamBaseUrl: string;
  proxy: string | null;
  demo: Demo | null;
  demoAccount: typeof DEMO_ACCOUNT | null;
}): string {
  const { config, streamBaseUrl, proxy, demo, demoAccount } = started;
  // [::] is every address, which no browser opens.
  const address = started.address.replace('[::]', 'localhost');
  const lines: Array<[label: string, value: string]> = [['Open', address]];
  if (isEveryAddress(config.host)) {
    const { port } = new URL(address);
    lines.push([
      '',
      `and port ${port} of every address of this machine: anyone who can reach this port can use the server`,
    ]);
  }
  if (demoAccount !== null) {
    const { username, password, company } = demoAccount;
    lines.push(['Sign in with', `${username} / ${password}  (${company})`]);
  } else lines.push(['Sign in with', `an account made by: ${COMMANDS.account} add`]);
  lines.push(['GraphQL', `${address}${GRAPHQL_PATH}${config.apolloSandbox ? '  (Apollo Sandbox)' : ''}`]);
  lines.push(['Stream', streamBaseUrl.replace(/\/\/[^/?#]*@/, '//')]);
  if (proxy !== null) lines.push(['Provider', `asked through ${proxy}`]);
  if (demo?.database) lines.push(['Data', demo.database.folder]);
  lines.push(['Stop', 'Ctrl-C']);
  if (demo?.database?.isShared) lines.push(['Warning', SHARED_DATABASE]);
  const { providerTokenUrl, streamBaseUrl: ownStreamBaseUrl } = config.given;
  if ((providerTokenUrl === undefined) !== (ownStreamBaseUrl === undefined)) {
    lines.push(['Warning', providerTokenUrl === undefined ? DEMO_TOKENS : DEMO_STREAM]);
  }
  if (isComplete(config.given)) {
    lines.push(['Warning', `${NOT_PRODUCTION}${config.apolloSandbox ? SANDBOX_OPEN : ''}`]);
  }
  const width = Math.max(...lines.map(([label]) => label.length)) + 2;
  const text = lines.map(([label, value]) => `  ${label.padEnd(width)}${value}\n`).join('');
  return `\nAudio Oficial Premium is ready.\n\n${text}\n`;
}
