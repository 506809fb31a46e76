import { beforeEach, expect, test, vi } from 'vitest';
import { createPublished } from '../../../../client/dashboard/store/published.ts';

let count = 0;
const heard = vi.fn();
const settle = vi.fn();
const createCounter = () => createPublished(() => ({ count }), settle);

beforeEach(() => {
  count = 0;
  heard.mockReset();
  settle.mockReset();
  vi.spyOn(console, 'warn').mockReturnValue();
});

test('a listener that throws does not keep a change from the others', () => {
  const published = createCounter();
  published.subscribe(() => {
    throw new TypeError('made up');
  });
  published.subscribe(heard);
  count += 1;
  published.changed();
  expect(heard).toHaveBeenCalledOnce();
});

test('changes that follow from one event are told once, with what settles them', () => {
  const published = createCounter();
  published.subscribe(() => heard(published.state()));
  settle.mockImplementationOnce(() => {
    count += 1;
    published.changed();
  });
  published.together(() => {
    for (const _ of [1, 2]) {
      count += 1;
      published.changed();
    }
  });
  expect(heard.mock.calls).toEqual([[{ count: 3 }]]);
});

test('what changes before an exception is told', () => {
  const published = createCounter();
  published.subscribe(heard);
  const act = () =>
    published.together(() => {
      count += 1;
      published.changed();
      throw new TypeError('made up');
    });
  expect(act).toThrow('made up');
  expect(heard).toHaveBeenCalledOnce();
});

test('an equal state is not told', () => {
  const published = createCounter();
  published.state();
  published.subscribe(heard);
  published.changed();
  expect(heard).not.toHaveBeenCalled();
});
