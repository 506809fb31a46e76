import { afterEach, expect, test, vi } from 'vitest';
import { copyText } from '../../../client/dashboard/useCopy.ts';

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
  const copied = copyText('https://audio.example/');
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await copied).toBe(false);
  expect(execCommand).toHaveBeenCalledExactlyOnceWith('copy');
});
