import { CREDENTIAL_MAX_LENGTH } from '../../shared/credentialRules.ts';

export const NO_EXCESS = { username: '', password: '' };

type Field = Pick<HTMLInputElement, 'value' | 'selectionStart' | 'selectionEnd'>;

/**
 * Returns the end of `inserted` for which the field has no room, and which the browser leaves out because of
 * `maxlength`. Blanks alone are not missed.
 */
export function cutOff({ value, selectionStart, selectionEnd }: Field, inserted: string): string {
  const replaced = (selectionEnd ?? 0) - (selectionStart ?? 0);
  const room = CREDENTIAL_MAX_LENGTH - (value.length - replaced);
  // Browsers leave out line breaks.
  const cut = inserted.replace(/[\r\n]/g, '').slice(Math.max(0, room));
  return cut.trim() === '' ? '' : cut;
}

/** Returns what the browser cut, or the end of a value that a script set, as some password managers do. */
export function excessOf(value: string, cut: string): string {
  return value.length < CREDENTIAL_MAX_LENGTH ? '' : cut || value.slice(CREDENTIAL_MAX_LENGTH);
}
