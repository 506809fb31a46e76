import { createHmac } from 'node:crypto';

/** A JWT, signed with HMAC-SHA256 whatever its header says. */
export function mint(header: unknown, claims: unknown, key: string): string {
  const body = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${body}.${createHmac('sha256', key).update(body).digest('base64url')}`;
}

export function claimsOf(jwt: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());
}

export function headerOf(jwt: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(jwt.split('.')[0] ?? '', 'base64url').toString());
}
