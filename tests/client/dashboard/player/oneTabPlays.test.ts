import { expect, onTestFinished, test, vi } from 'vitest';
import { oneTabPlays } from '../../../../client/dashboard/player/oneTabPlays.ts';
import { createPlayer } from '../../../../client/dashboard/player/player.ts';

/** A tab whose player never gets beyond connecting. `otherTab` is what it heard of the others. */
function openTab() {
  const nothing = () => undefined;
  const audio = {
    open: nothing,
    replace: nothing,
    cancelReplacement: nothing,
    hold: nothing,
    close: nothing,
  };
  const player = createPlayer(
    () => 'token==',
    () => ({ ...audio, attach: () => nothing, resume: () => 'gone', peak: () => null }),
  );
  const tab = { ...player, otherTab: vi.fn(player.otherTab) };
  onTestFinished(oneTabPlays(tab));
  return tab;
}

type Tab = ReturnType<typeof openTab>;

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

test('only the tab that played last plays', async () => {
  const [first, second, third] = [openTab(), openTab(), openTab()];
  await plays(first, second, third);
  expect(second.state()).toEqual({ kind: 'paused', because: 'asked' });
  await plays(second, first, third);
  expect(first.state()).toEqual({ kind: 'paused', because: 'otherTab' });
  await plays(third, first, second);
  third.pause();
  await expect.poll(() => first.state()).toEqual({ kind: 'paused', because: 'asked' });
  // The second tab stopped for the third and did not announce that.
  expect(first.otherTab.mock.calls).toEqual([['play'], ['stop']]);
});
