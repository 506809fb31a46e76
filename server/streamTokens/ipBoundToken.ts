/**
 * Whether a token says of itself that the provider hashed the requester's IP address into it, so that it opens the
 * stream from the requester's address only: its payload has no `id`, or has `checkip=true`.
 * `false` for a token whose payload cannot be read.
 */
export function isBoundToAddress(token: string): boolean {
  const base64 = /^[A-Za-z0-9+/]*/.exec(token)?.[0] ?? '';
  const fields = Buffer.from(base64, 'base64').toString('latin1').split('&');
  const has = (name: string) => fields.some((field) => field.startsWith(`${name}=`));
  if (!['server_time', 'hash_value', 'validminutes'].every(has)) return false;
  return !has('id') || fields.includes('checkip=true');
}
