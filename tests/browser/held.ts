import type { Page } from 'playwright-core';

/** Holds the page's requests to these addresses. Returns a function that lets them go. */
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
