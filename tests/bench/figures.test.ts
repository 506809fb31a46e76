import { expect, test } from 'vitest';
import { figureText, median, numberText, ratio } from '../../bench/figures.ts';

test('a median is the middle value, or lies between the two', () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([4, 1, 3, 100])).toBe(3.5);
  expect(() => median([])).toThrow('no median of nothing');
});

test('a ratio is taken round by round', () => {
  const figure = { unit: '/s', values: [50, 90] };
  expect(ratio(figure, { unit: '/s', values: [100, 100] })).toEqual({ unit: '×', values: [0.5, 0.9] });
  expect(() => ratio(figure, { unit: '/s', values: [100] })).toThrow('Not of the same rounds');
});

test('a figure is told with what its rounds lay between', () => {
  expect(figureText({ unit: 'ms', values: [14, 11.94, 12.3] })).toBe('12.3 ms (11.9–14.0)');
  expect(figureText({ unit: 'ms', values: [12.3] })).toBe('12.3 ms');
});

test.each([
  [1234.5, '1235'],
  [0.8046, '0.805'],
  [12.345, '12.3'],
])('%d has three digits that count: %s', (value, text) => {
  expect(numberText(value)).toBe(text);
});
