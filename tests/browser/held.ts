import type { Page } from 'playwright-core';

/** Returns a function that lets the requests go. */
export async function held(page: Page, pattern: string): Promise<() => void> {
  let letGo = () => {};
  const free = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route(pattern, async (route) => {
    await free;
    await route.continue();
  });
  return letGo;
}
