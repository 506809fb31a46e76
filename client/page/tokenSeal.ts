/** Checksums of an account and of its token with its expiry, from which none of them can be read. */
export type TokenSeal = { account: string; token: string };

type Sealed = { token: string; expiresAt: number };

export function sealOf({ token, expiresAt }: Sealed, accountId: string): TokenSeal {
  return { account: checksum(accountId), token: checksum(`${expiresAt} ${token}`) };
}

export function sealText({ account, token }: TokenSeal): string {
  return `${account} ${token}`;
}

export function parseSeal(text: string | null): TokenSeal | null {
  const [account, token] = text?.split(' ') ?? [];
  return account && token ? { account, token } : null;
}

function checksum(text: string): string {
  let sum = 7;
  for (const letter of text) sum = (Math.imul(sum, 31) + (letter.codePointAt(0) ?? 0)) | 0;
  return String(sum);
}
