// @vitest-environment jsdom
import { act, renderHook } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { useOffline } from '../../../client/api/offline.ts';

test('the page learns of a network that goes and comes back', () => {
  const onLine = vi.spyOn(Navigator.prototype, 'onLine', 'get').mockReturnValue(true);
  const { result } = renderHook(useOffline);
  for (const [event, offline] of [
    ['offline', true],
    ['online', false],
  ] as const) {
    onLine.mockReturnValue(!offline);
    act(() => void window.dispatchEvent(new Event(event)));
    expect([event, result.current]).toEqual([event, offline]);
  }
});
