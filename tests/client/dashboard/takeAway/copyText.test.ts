import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { copyText } from '../../../../client/dashboard/takeAway/copyText.ts';

const ADDRESS = 'https://audio.example/live?sign=a+b/c==';

let copied: string[];
let selectionIsCopied: boolean;

beforeEach(() => {
  copied = [];
  selectionIsCopied = true;
  let selected = '';
  const carrier = {
    value: '',
    select() {
      selected = this.value;
    },
    remove: vi.fn(),
  };
  vi.stubGlobal('HTMLElement', class {});
  vi.stubGlobal('document', {
    activeElement: null,
    createElement: () => carrier,
    body: { append: vi.fn() },
    execCommand() {
      if (selectionIsCopied) copied.push(selected);
      return selectionIsCopied;
    },
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
});

const clipboardApi = (writeText: (text: string) => Promise<void>) =>
  vi.stubGlobal('navigator', { clipboard: { writeText } });

test('the clipboard gets the text unchanged', async () => {
  clipboardApi(async (text) => {
    copied.push(text);
  });
  expect(await copyText(ADDRESS)).toBe(true);
  expect(copied).toEqual([ADDRESS]);
});

test('without the Clipboard API, as over plain http, a selection is copied', async () => {
  vi.stubGlobal('navigator', {});
  expect(await copyText(ADDRESS)).toBe(true);
  expect(copied).toEqual([ADDRESS]);
});

test('where the Clipboard API is refused, a selection is copied', async () => {
  clipboardApi(() => Promise.reject(new Error('NotAllowedError')));
  expect(await copyText(ADDRESS)).toBe(true);
  expect(copied).toEqual([ADDRESS]);
});

test('where nothing works it says so', async () => {
  vi.stubGlobal('navigator', {});
  selectionIsCopied = false;
  expect(await copyText(ADDRESS)).toBe(false);
});
