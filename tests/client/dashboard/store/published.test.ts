import { expect, test, vi } from 'vitest';
import { createPublished } from '../../../../client/dashboard/store/published.ts';

test('a listener that throws does not keep a change from the others', () => {
  vi.spyOn(console, 'warn').mockReturnValue();
  const published = createPublished(() => 'state');
  const heard = vi.fn();
  published.subscribe(() => {
    throw new TypeError('made up');
  });
  published.subscribe(heard);
  published.renew();
  expect(heard).toHaveBeenCalledOnce();
});
