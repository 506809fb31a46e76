import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { oneTabPlays } from '../../../../client/dashboard/player/oneTabPlays.ts';
import { createPlayer } from '../../../../client/dashboard/player/player.ts';

const leaving: (() => void)[] = [];

afterEach(() => {
  for (const leave of leaving.splice(0)) leave();
});

/** A tab whose player never gets beyond connecting. `otherTab` is what it heard of the others. */
function openTab() {
  const player = createPlayer(
    () => 'token==',
    () => ({
      attach: () => () => undefined,
      open: () => undefined,
      replace: () => undefined,
      cancelReplacement: () => undefined,
      hold: () => undefined,
      resume: () => 'gone',
      peak: () => null,
      close: () => undefined,
    }),
  );
  const tab = { ...player, otherTab: vi.fn(player.otherTab) };
  const close = oneTabPlays(tab);
  leaving.push(close);
  return { ...tab, close };
}

type Tab = ReturnType<typeof openTab>;

const becomes = (tab: Tab, state: object) => expect.poll(() => tab.state()).toEqual(state);

async function plays(tab: Tab, ...others: Tab[]) {
  for (const other of others) other.otherTab.mockClear();
  tab.play();
  for (const other of others) await expect.poll(() => other.otherTab).toHaveBeenCalledWith('play');
}

test('a browser without BroadcastChannel plays all the same', () => {
  vi.stubGlobal('BroadcastChannel', undefined);
  Reflect.deleteProperty(globalThis, 'BroadcastChannel');
  onTestFinished(() => void vi.unstubAllGlobals());
  const tab = openTab();
  tab.play();
  expect(tab.state().kind).toBe('connecting');
});

test('playing in one tab stops the others, which show why', async () => {
  const [first, second, idle] = [openTab(), openTab(), openTab()];
  await plays(first, second, idle);
  await plays(second, first, idle);
  expect(first.state()).toEqual({ kind: 'paused', because: 'otherTab' });
  expect(second.state().kind).toBe('connecting');
  expect(idle.state()).toEqual({ kind: 'paused', because: 'asked' });
});

test('a tab that was stopped by another does not tell a third that no tab plays', async () => {
  const [first, second, third] = [openTab(), openTab(), openTab()];
  await plays(first, second, third);
  await plays(second, first, third);
  await plays(third, first, second);
  third.pause();
  await becomes(first, { kind: 'paused', because: 'asked' });
  expect(first.otherTab.mock.calls).toEqual([['play'], ['stop']]);
});
