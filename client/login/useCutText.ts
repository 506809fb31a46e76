import { type RefObject, useEffect } from 'react';
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

/**
 * Calls `onCut` with the text for which the input has no room, pasted, dropped or typed, and with `''` once an
 * insertion or a deletion fits. Text that is typed on adds up. React's `onBeforeInput` is another event.
 */
export function useCutText(input: RefObject<HTMLInputElement | null>, onCut: (cut: string) => void): void {
  useEffect(() => {
    const element = input.current;
    if (!element) return;
    let cut = '';
    const listen = ({ data, isComposing }: InputEvent) => {
      if (isComposing) return;
      const more = cutOff(element, data ?? '');
      const before = cut;
      cut = more === '' ? '' : before + more;
      if (cut !== before) onCut(cut);
    };
    element.addEventListener('beforeinput', listen);
    return () => element.removeEventListener('beforeinput', listen);
  }, [input, onCut]);
}
