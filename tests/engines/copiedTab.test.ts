import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSite } from '../support/partnerSite.ts';
import { ENGINES, newPartner, PATIENCE } from './enginePartner.ts';

let site: Awaited<ReturnType<typeof startSite>>;

beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());

describe.each(Object.entries(ENGINES))('in %s', (_name, launch) => {
  test('the copy of a tab that plays raises no alarm', async () => {
    const partner = await newPartner(launch);
    await partner.arriveAndPlay(site.url);

    // A browser opens a window for a real click only. Its session storage is a copy.
    await partner.evaluate(
      "document.addEventListener('click', () => { window.copy = window.open('/dashboard'); }, { once: true }) ?? true",
    );
    await partner.press('Copiar URL');
    const inCopy = (expression: string) =>
      partner.evaluate<string | null>(`window.copy?.${expression} ?? null`);
    await expect
      .poll(() => inCopy("document.querySelector('#player-status')?.textContent"), PATIENCE)
      .toBe('Audio en pausa');
    await expect.poll(() => inCopy('sessionStorage.sound_wanted'), PATIENCE).toBeNull();
    expect(await inCopy('document.title')).toMatch(/^1\d:\d\d · /);
    await partner.hears();
  });
});
