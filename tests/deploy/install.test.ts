import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/paths.ts';
import { startDemoProvider } from '../../server/demo/demoProvider.ts';
import { freePort } from '../support/freePort.ts';
import { becomesReady, launchServer, stopServer } from '../support/serverProcess.ts';
import { temporaryFolder, write } from '../support/temporaryFolder.ts';
import { startSystemPostgres } from './systemPostgres.ts';

// Builds the project, on machines that may be busy.
vi.setConfig({ testTimeout: 180_000 });

const PAGE = readFileSync(path.join(PROJECT_ROOT, 'docs/operations.md'), 'utf8');
const NOT_COPIED = ['.git', '.env', '.data', 'dist', 'node_modules'];

/** The programs that change the machine; npm has installed here already. `systemd-run` runs the command as its unit would. */
const STAND_INS = `
sudo() { [ "$1 $2" = '-u postgres' ] && shift 2 && PGUSER=postgres "\${@/--pwprompt/--login}"; }
npm() { [ "$1" = ci ] || command npm "$@"; }
systemctl() { :; }
nginx() { :; }
docker() { printf '%s ' "$@"; }
systemd-run() {
  local file folder name
  while [[ $1 == --* ]]; do
    case $1 in
      --property=EnvironmentFile=*) file=\${1##*=} ;;
      --property=WorkingDirectory=*) folder=\${1##*=} ;;
      --setenv=*) name=\${1#--setenv=} ;;
    esac
    shift
  done
  mapfile -t environment < <(grep -E '^[A-Z_]+=' "$file")
  (cd "$folder" && env -i "$name" "\${environment[@]}" "$@")
}
`;

/** Returns the commands of a section of docs/operations.md, block by block. */
function commandsOf(section: string): string[] {
  const text = PAGE.split('\n## ').find((part) => part.startsWith(`${section}\n`)) ?? '';
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, commands = '']) => commands);
}

/** Copies .env.example with some of its variables filled in. */
function filledIn(values: Record<string, string>): string {
  return Object.entries(values).reduce(
    (text, [name, value]) => {
      const line = new RegExp(`^${name}=.*$`, 'm');
      expect([name, line.test(text)]).toEqual([name, true]);
      return text.replace(line, () => `${name}=${value}`);
    },
    readFileSync(path.join(PROJECT_ROOT, '.env.example'), 'utf8'),
  );
}

test('the commands of docs/operations.md install a running service, and manage its accounts', async () => {
  const machine = temporaryFolder();
  const project = path.join(machine, 'project');
  cpSync(PROJECT_ROOT, project, {
    recursive: true,
    filter: (source) => !NOT_COPIED.includes(path.relative(PROJECT_ROOT, source)),
  });
  symlinkSync(path.join(PROJECT_ROOT, 'node_modules'), path.join(project, 'node_modules'));
  for (const folder of ['opt', 'etc/systemd/system', 'etc/nginx/conf.d'])
    mkdirSync(path.join(machine, folder), { recursive: true });
  const postgres = await startSystemPostgres();
  onTestFinished(postgres.close);
  await postgres.asSuperuser('DROP DATABASE audio');
  await postgres.asSuperuser('DROP ROLE audio');
  const provider = await startDemoProvider({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => provider.close());

  const here = (text: string) =>
    text
      .replaceAll(/(?<=[ =])\/(?=(?:opt|etc)\/)/g, `${machine}/`)
      .replaceAll('/usr/bin/node', process.execPath);
  /** Runs commands in the project's folder, by a root whose files are private. */
  const run = async (commands: string) => {
    const { stdout } = await promisify(execFile)(
      'bash',
      ['-euo', 'pipefail', '-c', here(STAND_INS + commands)],
      {
        cwd: project,
        env: { ...postgres.env, USER: 'operadora' },
      },
    );
    return stdout;
  };
  const [createDatabase = '', check = '', assemble = '', install = ''] = commandsOf('Install');
  const [functions = ''] = commandsOf('Everyday commands');
  const [withSystemd = '', inContainers = ''] = functions.split(/(?<=^}\n)/m);

  await run(createDatabase);
  write(
    project,
    '.env',
    filledIn({
      NODE_ENV: 'production',
      DATABASE_URL: postgres.url,
      JWT_SECRET: 'a secret of the test, of 32 bytes or more',
      PROVIDER_TOKEN_URL: provider.tokenUrl,
      STREAM_BASE_URL: provider.streamBaseUrl,
      TRUST_PROXY: '1',
    }),
  );
  const checked = await run(check);
  expect(checked).toMatch(/^ok migrations: .* are to be applied/m);
  expect(checked).not.toContain('FAILED');
  await run(`umask 077\n${assemble}`);
  await run(install);

  expect(statSync(path.join(machine, 'opt/audio')).mode & 0o777).toBe(0o755);
  expect(statSync(path.join(machine, 'etc/audio.env')).mode & 0o777).toBe(0o600);
  const site = readFileSync(path.join(machine, 'etc/nginx/conf.d/audio.conf'), 'utf8');
  expect(site.match(/^ +server(?:_name)? .*;$/gm)).toEqual([
    '    server 127.0.0.1:4000 max_fails=0;',
    '    server 127.0.0.1:4001 max_fails=0;',
    '    server_name localhost;',
    '    server_name audio.example;',
  ]);

  const unit = readFileSync(path.join(machine, 'etc/systemd/system/audio@.service'), 'utf8');
  const port = await freePort();
  const [, start = ''] = /^ExecStart=(.*)$/m.exec(unit) ?? [];
  const [program = '', ...args] = here(start)
    .replace('1%i', String(await freePort()))
    .replace('%i', String(port))
    .split(' ');
  const variables = readFileSync(path.join(machine, 'etc/audio.env'), 'utf8').matchAll(/^([A-Z_]+)=(.*)$/gm);
  const environment = Object.fromEntries([...variables].map(([, name = '', value = '']) => [name, value]));
  const server = launchServer(args, environment, { program, cwd: path.join(machine, 'opt/audio') });
  onTestFinished(async () => void (await stopServer(server, 'SIGTERM')));
  await becomesReady(server, port);
  await expect.poll(() => server.output).toContain('"msg":"listening"');

  const audio = (command: string) => run(`${withSystemd}${command}`);
  expect(await audio('audio check')).toMatch(/^(?:ok .*\n){6}WARN stream: .*http:.*\n$/);
  expect(await audio('audio migrate')).toBe('There is nothing to apply\n');
  const row = '{"id":"uno","username":"radio@uno.example","password":"secreto","company":"Radio Uno"}';
  await audio(`audio account import - <<< '${row}'`);
  expect(await audio('audio account list')).toContain('radio@uno.example  Radio Uno');
  expect(await audio('audio account audit')).toContain('  operadora  import ');
  expect(await run(`${inContainers}audio account usage --company 'Radio Uno'`)).toBe(
    'compose exec -T --env SUDO_USER=operadora app-1 node dist/server/account.js usage --company Radio Uno ',
  );
});
