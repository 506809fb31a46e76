import { expect, test } from 'vitest';
import { chartSvg } from '../../bench/chart.ts';

const TABLE = {
  title: 'a < b & c',
  rows: [
    { name: 'the ceiling', figures: { throughput: { unit: '/s', values: [90, 100, 110] } } },
    { name: 'this app', figures: { throughput: { unit: '/s', values: [55, 44, 50] } } },
  ],
};

test('a chart has a bar for each figure, as long as its median, and a line between what its rounds lay', () => {
  const svg = chartSvg([TABLE]);
  const bars = [...svg.matchAll(/class="bar" x="200" y="\d+" width="([\d.]+)"/g)].map(([, width]) => width);
  const spreads = [...svg.matchAll(/x1="([\d.]+)" x2="([\d.]+)"/g)].map(([, from, to]) => [from, to]);
  expect(bars).toEqual(['318.2', '159.1']);
  expect(spreads).toEqual([
    ['486.4', '550.0'],
    ['340.0', '375.0'],
  ]);
});

test('a chart says what each bar is and what was measured, whatever its name', () => {
  const svg = chartSvg([TABLE]);
  expect(svg).toContain('>a &#60; b &#38; c<');
  for (const part of ['throughput', 'the ceiling', '100 /s (90.0–110)', '50.0 /s (44.0–55.0)']) {
    expect(svg).toContain(`>${part}<`);
  }
});

test('a chart has room for its longest name, and breaks a title that is longer than it is wide', () => {
  const name = 'connections of one instance to the media provider';
  const title = `What gives way first ${'with more partners '.repeat(10)}`.trim();
  const svg = chartSvg([{ title, rows: [{ name, figures: { partners: { unit: '', values: [3] } } }] }]);
  expect(Number(/class="bar" x="(\d+)"/.exec(svg)?.[1])).toBeGreaterThan(name.length * 6);
  const lines = [...svg.matchAll(/class="title"[^>]*>([^<]+)</g)].map(([, line]) => line);
  expect(lines.length).toBeGreaterThan(1);
  expect(lines.join(' ')).toBe(title);
});
