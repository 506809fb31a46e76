import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { requireTool } from '../support/testTools.ts';
import { PUBLIC_HOST } from './nginx.ts';

/** Writes `fullchain.pem` and `privkey.pem` into a folder: a certificate of its own that is valid for so many days. */
export function writeCertificate(folder: string, days: number, names = [PUBLIC_HOST]): void {
  execFileSync(
    requireTool('openssl'),
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-days', String(days), '-subj', `/CN=${PUBLIC_HOST}`],
      ...['-addext', `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}`],
      ...['-keyout', path.join(folder, 'privkey.pem'), '-out', path.join(folder, 'fullchain.pem')],
    ],
    { stdio: 'ignore' },
  );
}
