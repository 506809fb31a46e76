const SERVER_TIME = /^server_time=(\d{1,2}\/\d{1,2}\/\d{4} \d{1,2}:\d\d:\d\d [AP]M)$/;

/**
 * Returns whether the provider hashed the requester's IP address into a token, which then opens the stream from there
 * only: the token's payload has no `id`, or has `checkip=true`. Returns false for a payload that cannot be read.
 */
export function isBoundToAddress(token: string): boolean {
  const fields = fieldsOf(token);
  const has = (name: string) => fields.some((field) => field.startsWith(`${name}=`));
  if (!['server_time', 'hash_value', 'validminutes'].every(has)) return false;
  return !has('id') || fields.includes('checkip=true');
}

export function validMinutesOf(token: string): number | null {
  const minutes = fieldsOf(token).flatMap((field) => /^validminutes=(\d{1,6})$/.exec(field)?.[1] ?? []);
  return minutes[0] === undefined ? null : Number(minutes[0]);
}

/** Returns the token's `server_time` (UTC, as in `7/4/2025 3:05:09 PM`): when it was made. */
export function serverTimeOf(token: string): Date | null {
  const [time] = fieldsOf(token).flatMap((field) => SERVER_TIME.exec(field)?.[1] ?? []);
  const madeAt = new Date(`${time} UTC`);
  return time === undefined || Number.isNaN(madeAt.getTime()) ? null : madeAt;
}

function fieldsOf(token: string): string[] {
  const base64 = /^[A-Za-z0-9+/]*/.exec(token)?.[0] ?? '';
  return Buffer.from(base64, 'base64').toString('latin1').split('&');
}
