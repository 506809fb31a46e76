import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { onProcessWarning, type ProcessWarning } from '../../../server/observing/processWarnings.ts';

let listeners: NodeJS.WarningListener[];
beforeEach(() => {
  listeners = process.listeners('warning');
});
afterEach(() => {
  process.removeAllListeners('warning');
  for (const listener of listeners) process.on('warning', listener);
});

/** Returns the warnings that are reported; `ofNode` prints them before. */
async function reported(warning: string, ofNode?: NodeJS.WarningListener): Promise<ProcessWarning[]> {
  const said: ProcessWarning[] = [];
  process.removeAllListeners('warning');
  if (ofNode) process.on('warning', ofNode);
  onProcessWarning((each) => said.push(each));
  process.emitWarning(warning, { type: 'DeprecationWarning', code: 'DEP0000' });
  await new Promise(process.nextTick);
  return said;
}

test('a warning is reported on one line', async () => {
  const warning = 'It is old.\n  Leave it: postgresql://canary:canary@canary.example/canary\n';
  const printed = vi.fn();
  expect(await reported(warning, printed)).toEqual([
    { type: 'DeprecationWarning', code: 'DEP0000', message: 'It is old. Leave it: [address]' },
  ]);
  expect(printed).not.toHaveBeenCalled();
});

test('no warning is reported where Node prints none', async () => {
  expect(await reported('It is old.')).toEqual([]);
});
