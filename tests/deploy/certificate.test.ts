import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import path from 'node:path';
import { createSecureContext, createServer } from 'node:tls';
import { promisify } from 'node:util';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { DAY_MS, SECOND_MS } from '../../shared/durations.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { writeCertificate } from './certificates.ts';
import { PUBLIC_HOST } from './nginx.ts';

let folder: string;
const at = (...parts: string[]) => path.join(folder, ...parts);
const LIVE = path.join('live', PUBLIC_HOST);

beforeEach(() => {
  folder = temporaryFolder();
  for (const name of ['tls', 'loaded', LIVE, `${LIVE}-0001`]) mkdirSync(at(name), { recursive: true });
});

/** Starts what nginx is here: it serves the certificate that the last reload has read. */
async function serve(): Promise<string> {
  const read = (name: string) => readFileSync(at('loaded', name));
  const server = createServer({
    SNICallback: (_name, done) =>
      done(null, createSecureContext({ cert: read('fullchain.pem'), key: read('privkey.pem') })),
  });
  server.on('tlsClientError', () => {});
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const RELOAD = 'cp "$AUDIO_TLS"/*.pem "$AUDIO_TLS"/../loaded/';

async function look(address: string, reload = RELOAD, programs = '', name = PUBLIC_HOST) {
  const command = reload === '' ? [] : ['sh', '-c', reload];
  return promisify(execFile)('deploy/certificate.sh', [name, ...command], {
    cwd: PROJECT_ROOT,
    env: {
      PATH: `${programs}:${process.env.PATH}`,
      AUDIO_LETSENCRYPT: folder,
      AUDIO_TLS: at('tls'),
      AUDIO_CERTIFICATE_AT: address,
      TEXTFILE_DIRECTORY: folder,
    },
  });
}

function daysLeft(name = PUBLIC_HOST): number {
  const [, named, seconds] =
    /^audio_certificate_expiry_timestamp_seconds\{name="(.*)"\} (\d+)\n$/.exec(
      readFileSync(at(`audio-certificate-${name}.prom`), 'utf8'),
    ) ?? [];
  expect(named).toBe(name);
  return Math.round((Number(seconds) * SECOND_MS - Date.now()) / DAY_MS);
}

test.each([LIVE, `${LIVE}-0001`])('a renewed certificate in %s whose hook failed is served', async (live) => {
  writeCertificate(at('tls'), 5);
  writeCertificate(at('loaded'), 5);
  writeCertificate(at(live), 90);
  const { stdout } = await look(await serve());
  expect(stdout).toContain(`Took the certificate of ${at(live)}\n`);
  expect(daysLeft()).toBe(90);
});

test('a certificate of another authority stays until certbot has a newer one', async () => {
  writeCertificate(at(LIVE), 80);
  writeCertificate(at('tls'), 365);
  const address = await serve();
  await look(address);
  expect(daysLeft()).toBe(365);
  writeCertificate(at(LIVE), 90);
  await look(address);
  expect(daysLeft()).toBe(90);
});

test('certbot’s certificate that was put back after a restore replaces a self-signed one', async () => {
  writeCertificate(at(LIVE), 80);
  writeCertificate(at('tls'), 7);
  await look(await serve());
  expect(daysLeft()).toBe(80);
});

test('of two certificates, one that lacks an installed name is named, and not taken', async () => {
  const names = [PUBLIC_HOST, 'premium.example', 'audio.radio.example'];
  writeCertificate(at('tls'), 60, names);
  writeCertificate(at(LIVE), 90, names.slice(0, 1));
  const address = await serve();
  await expect(look(address)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      `Not taken: ${at(LIVE)} lacks audio.radio.example premium.example, which`,
    ),
  });
  expect(daysLeft()).toBe(60);
  writeCertificate(at(`${LIVE}-0001`), 80, [...names, 'more.example']);
  await expect(look(address)).rejects.toMatchObject({ stdout: expect.stringContaining('Took') });
  expect(daysLeft()).toBe(80);
});

test('a certificate that ends within 3 days starts the alarm', async () => {
  writeCertificate(at('tls'), 2);
  const address = await serve();
  await expect(look(address)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^It ends soon, and partners are shut out then/),
  });
  expect(daysLeft()).toBe(2);
  writeCertificate(at('tls'), 4);
  await look(address);
});

test('an nginx that refuses to reload starts the alarm, and the days are told', async () => {
  writeCertificate(at('tls'), 90);
  writeCertificate(at('loaded'), 5);
  await expect(look(await serve(), 'exit 1')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^nginx was not reloaded.*an older certificate is served than/s),
  });
  expect(daysLeft()).toBe(5);
});

test('where a balancer has the certificate, it is only looked at', async () => {
  writeCertificate(at('loaded'), 40);
  await look(await serve(), '');
  expect(daysLeft()).toBe(40);
});

test('each public name keeps its own days, and the file of release 2.1.1 goes', async () => {
  writeFileSync(at('audio-certificate.prom'), 'audio_certificate_expiry_timestamp_seconds 1\n');
  writeCertificate(at('loaded'), 40);
  const address = await serve();
  await look(address, '');
  writeCertificate(at('loaded'), 80);
  await look(address, '', '', 'premium.example');
  expect([daysLeft(), daysLeft('premium.example')]).toEqual([40, 80]);
  expect(existsSync(at('audio-certificate.prom'))).toBe(false);
});

test('an address where nobody listens starts the alarm', async () => {
  writeCertificate(at('tls'), 90);
  await expect(look('127.0.0.1:1', 'true')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('No certificate is served at 127.0.0.1:1\n'),
  });
  expect(existsSync(at(`audio-certificate-${PUBLIC_HOST}.prom`))).toBe(false);
});

test('an address that does not answer is named, and the next one of the name is asked', async () => {
  writeCertificate(at('loaded'), 40);
  const address = await serve();
  const port = Number(new URL(`https://${address}`).port);
  const silent = createTcpServer((socket) => void socket.destroy());
  await once(silent.listen(port, '127.0.0.2'), 'listening');
  onTestFinished(() => void silent.close());
  const getent = `#!/bin/sh\n[ "$*" = 'ahosts ${PUBLIC_HOST}' ] && printf '%s STREAM\\n' 127.0.0.2 127.0.0.1\n`;
  const programs = temporaryFolder({ getent });
  chmodSync(path.join(programs, 'getent'), 0o755);
  const { stderr } = await look(`${PUBLIC_HOST}:${port}`, '', programs);
  expect(stderr).toContain(`No certificate is served at 127.0.0.2:${port}, which`);
  expect(daysLeft()).toBe(40);
});
