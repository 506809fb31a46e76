import { randomBytes } from 'node:crypto';

/** Returns a random secret with characters that every encoding changes, to test all that `leaksIn` decodes. */
export function canary(): string {
  return `Ñ+/"<${randomBytes(6).toString('hex')}>%=`;
}

export function plainCanary(): string {
  return `canario${randomBytes(8).toString('hex')}`;
}

export function leaksIn(text: string, secrets: Record<string, string>): string[] {
  const lowerCase = text.toLowerCase();
  return Object.entries(secrets)
    .filter(([, secret]) => formsOf(secret).some((form) => text.includes(form) || lowerCase.includes(form)))
    .map(([name]) => name);
}

function formsOf(secret: string): string[] {
  if (secret.length < 6) throw new Error('Too short to be looked for');
  const json = JSON.stringify(secret).slice(1, -1);
  const percent = encodeURIComponent(secret);
  const html = secret.replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const base64 = [0, 1, 2].map((offset) => base64Within(Buffer.from(secret), offset));
  const base64url = base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'));
  const hex = Buffer.from(secret).toString('hex');
  return [secret, json, JSON.stringify(json).slice(1, -1), percent, percent.toLowerCase(), html, hex]
    .concat(base64, base64url)
    .concat(percent.replaceAll('%20', '+'), encodeURI(secret));
}

/** Returns the base64 digits that no neighbouring byte changes; `offset` is the position of the bytes modulo 3. */
function base64Within(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes])
    .toString('base64')
    .replaceAll('=', '');
  const sure = offset + bytes.length;
  return text.slice(Math.ceil((offset * 4) / 3), Math.floor((sure * 4) / 3));
}
