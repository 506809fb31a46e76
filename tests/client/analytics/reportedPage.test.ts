import { expect, test } from 'vitest';
import { reportedPage } from '../../../client/analytics/reportedPage.ts';

test.each([
  ['login', 'https://audio.example/'],
  ['dashboard', 'https://audio.example/dashboard'],
  ['notFound', 'https://audio.example/not-found'],
] as const)('the screen %s is reported as the address %s alone', (screen, address) => {
  expect(reportedPage(screen, 'https://audio.example')).toEqual({
    page_location: address,
    page_referrer: 'https://audio.example',
    page_title: screen,
  });
});
