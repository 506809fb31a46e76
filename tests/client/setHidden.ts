import { act } from '@testing-library/react';
import { vi } from 'vitest';

export function setHidden(hidden: boolean): void {
  vi.spyOn(Document.prototype, 'hidden', 'get').mockReturnValue(hidden);
  vi.spyOn(Document.prototype, 'visibilityState', 'get').mockReturnValue(hidden ? 'hidden' : 'visible');
  act(() => void document.dispatchEvent(new Event('visibilitychange')));
}
