import { afterEach, beforeEach, expect, test } from 'vitest';
import { onProcessWarning, type ProcessWarning } from '../../../server/observing/processWarnings.ts';

let listeners: NodeJS.WarningListener[];
beforeEach(() => {
  listeners = process.listeners('warning');
});
afterEach(() => {
  process.removeAllListeners('warning');
  for (const listener of listeners) process.on('warning', listener);
});

/** Emits a warning and returns the reported ones; `isPrinted` is whether Node itself would print it. */
async function saidOf(warning: string, options: NodeJS.EmitWarningOptions, isPrinted = true) {
  const said: ProcessWarning[] = [];
  let printed = 0;
  process.removeAllListeners('warning');
  if (isPrinted) process.on('warning', () => (printed += 1));
  onProcessWarning((each) => said.push(each));
  process.emitWarning(warning, options);
  await new Promise(process.nextTick);
  return { said, printed };
}

test('a warning is reported on one line', async () => {
  const warning = 'It is old.\n  Leave it: postgresql://canary:canary@canary.example/canary\n';
  expect(await saidOf(warning, { type: 'DeprecationWarning', code: 'DEP0000' })).toEqual({
    said: [{ type: 'DeprecationWarning', code: 'DEP0000', message: 'It is old. Leave it: [address]' }],
    printed: 0,
  });
  expect((await saidOf('It is new.', {})).said).toEqual([{ type: 'Warning', message: 'It is new.' }]);
});

test('no warning is reported where Node prints none', async () => {
  expect((await saidOf('It is new.', {}, false)).said).toEqual([]);
});
