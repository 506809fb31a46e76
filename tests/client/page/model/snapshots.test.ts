import { expect, test } from 'vitest';
import { madeUpBrowser } from './madeUpBrowser.ts';

/** Opens two tabs, of which the first has a token. */
async function twoTabs() {
  const browser = madeUpBrowser(0, () => undefined);
  const [first, second] = [browser.tab(0), browser.tab(1)];
  await browser.passes(3_000);
  await create();
  return { browser, first, second, create };

  async function create(tab = first): Promise<void> {
    browser.world.pressedAt = browser.world.nowMs;
    tab.page.createToken();
    await browser.passes(5_000);
  }
}

type Tabs = Awaited<ReturnType<typeof twoTabs>>;

const play = async ({ browser, first }: Tabs) => {
  first.page.send({ type: 'playPressed' });
  await browser.passes(5_000);
};

/** How often the first tab tells its components of a change; the least is once for each thing that happens. */
test.each<
  [way: string, times: number, before: (tabs: Tabs) => Promise<void>, act: (tabs: Tabs) => Promise<void>]
>([
  // The press, the element's `waiting` while it is held, and the answer.
  ['`Crear Token` while sound plays', 3, play, ({ create }) => create()],
  // The end of the message that the first token was created, and the token. The answer to the question for its address
  // changes nothing that is shown.
  ['a token of another tab', 2, play, ({ create, second }) => create(second)],
  // The press, and the sound.
  ['a press of play', 2, async () => undefined, play],
  [
    'a session that ended elsewhere, while sound plays',
    // The session's end, and the end of that message.
    2,
    play,
    async ({ browser, second }) => {
      browser.recordsOf(second).clear();
      await browser.passes(5_000);
    },
  ],
])('%s is told to components %i times', async (_way, times, before, act) => {
  const tabs = await twoTabs();
  await before(tabs);
  const told = tabs.first.page.snapshots();
  await act(tabs);
  expect(tabs.first.page.snapshots() - told).toBe(times);
});
