import { type RefObject, useEffect } from 'react';
import { cutOff } from './cutText.ts';

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
