import { domainToASCII } from 'node:url';
import { asciiUrl, holdsCredentials } from '../../config/addresses.ts';
import { OperatorError } from '../../errors.ts';
import type { CheckPart } from './checkContext.ts';

/** Returns the names in `PUBLIC_HOST`, which may hold several as nginx accepts them, as browsers send them. */
export function publicHosts(value = ''): string[] {
  return value
    .split(/\s+/)
    .filter(Boolean)
    .map((host) => domainToASCII(host) || host);
}

/** Names the form to write where letters like ñ stand, which nginx never matches and headers cannot hold. */
export async function checkAsciiForms(
  { PUBLIC_HOST = '', STREAM_BASE_URL = '' }: NodeJS.ProcessEnv,
  checkPart: CheckPart,
): Promise<void> {
  const notAlone = PUBLIC_HOST.split(/\s+/).find((host) => /[/:,]/.test(host));
  if (notAlone !== undefined) {
    await checkPart('PUBLIC_HOST', async () => {
      throw new OperatorError(
        `nginx compares it with the name that browsers send, so it closes every connection: write names alone, without https://, port and path, with blanks between`,
      );
    });
  }
  const hosts = publicHosts(PUBLIC_HOST).join(' ');
  if (isBeyondAscii(PUBLIC_HOST)) {
    await checkPart('PUBLIC_HOST', async () => {
      throw new OperatorError(
        `browsers send a name with such letters in another form, so nginx closes every connection: write ${hosts}`,
      );
    });
  }
  if (isBeyondAscii(STREAM_BASE_URL) && !holdsCredentials(STREAM_BASE_URL)) {
    const warning = `it holds letters beyond ASCII, so another form is used: write ${asciiUrl(STREAM_BASE_URL)}`;
    await checkPart('STREAM_BASE_URL', async () => ({ warning }));
  }
}

function isBeyondAscii(text: string): boolean {
  return /\P{ASCII}/u.test(text);
}
