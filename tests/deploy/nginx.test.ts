import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { Agent, request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/paths.ts';
import { freePort } from '../support/freePort.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { requireOpenssl } from '../support/testTools.ts';
import { startNginx } from './nginx.ts';

/** Starts nginx with `addition` in `audio.d`, in front of an instance that answers with the forwarded protocol. */
async function startSite(addition?: string) {
  const instance = createServer((incoming, response) => {
    response.end(incoming.headers['x-forwarded-proto']);
  });
  await once(instance.listen(0, '127.0.0.1'), 'listening');
  const { port } = instance.address() as AddressInfo;
  const nginx = await startNginx([port, port], addition);
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  onTestFinished(async () => {
    await dispatcher.close();
    await nginx.close();
    instance.close();
  });
  async function ask(url: string, headers = {}) {
    const answer = await request(url, { headers, dispatcher });
    return { status: answer.statusCode, text: await answer.body.text(), location: answer.headers.location };
  }
  await expect.poll(() => ask(`${nginx.url}/healthz`).catch(() => null)).toMatchObject({ status: 200 });
  return { url: nginx.url, ask };
}

test('with docs/nginx-https.conf http leads to https, but for /healthz and the proof for a certificate', async () => {
  const tls = temporaryFolder({ '.well-known/acme-challenge/proof': 'ours' });
  execFileSync(
    requireOpenssl(),
    'req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=audio.example -keyout privkey.pem -out fullchain.pem'.split(
      ' ',
    ),
    { cwd: tls, stdio: 'ignore' },
  );
  execFileSync('chmod', ['-R', 'a+rX', tls]);
  const httpsPort = await freePort();
  const addition = readFileSync(path.join(PROJECT_ROOT, 'docs', 'nginx-https.conf'), 'utf8')
    .replace('listen 443 ssl', `listen 127.0.0.1:${httpsPort} ssl`)
    .replaceAll('/etc/audio/tls', tls)
    .replace('/var/www/acme', tls);
  const { url, ask } = await startSite(addition);

  expect(await ask(`${url}/dashboard?a=b`)).toMatchObject({
    status: 301,
    location: 'https://127.0.0.1/dashboard?a=b',
  });
  expect(await ask(`${url}/assets/logo.svg`)).toMatchObject({ status: 301 });
  expect(await ask(`${url}/healthz`)).toMatchObject({ status: 200, text: 'http' });
  expect(await ask(`${url}/.well-known/acme-challenge/proof`)).toMatchObject({ status: 200, text: 'ours' });
  expect(await ask(`https://127.0.0.1:${httpsPort}/dashboard`)).toMatchObject({ status: 200, text: 'https' });
});

test('what a caller says of https counts only where docs/operations.md has it believed', async () => {
  const said = { 'x-forwarded-proto': 'https' };
  const plain = await startSite();
  expect(await plain.ask(plain.url, said)).toMatchObject({ text: 'http' });
  const page = readFileSync(path.join(PROJECT_ROOT, 'docs', 'operations.md'), 'utf8');
  const behindBalancer = await startSite(/set \$forwarded_proto [^;`]+;/.exec(page)?.[0]);
  expect(await behindBalancer.ask(behindBalancer.url, said)).toMatchObject({ text: 'https' });
});
