import { act, renderHook } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { useCopy } from '../../../client/dashboard/useCopy.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  Reflect.deleteProperty(document, 'execCommand');
});

test('a clipboard that never answers is given up after two seconds', async () => {
  vi.useFakeTimers();
  vi.stubGlobal('navigator', { clipboard: { writeText: () => new Promise(() => undefined) } });
  const execCommand = vi.fn(() => false);
  Object.assign(document, { execCommand });
  const url = 'https://audio.example/';
  const { result } = renderHook(() => useCopy(url));
  void result.current.copy(url);
  await act(() => vi.advanceTimersByTimeAsync(2_000));
  expect(result.current.outcome).toMatchObject({ copied: false });
  expect(execCommand).toHaveBeenCalledExactlyOnceWith('copy');
});
