import { expect, test } from 'vitest';
import { checkClientBudget, clientCosts } from '../../scripts/clientBudget.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const PAGE = '<script type="module" crossorigin src="/assets/index-a1.js"></script>';

function builtClient(sizes: Record<string, number>): string {
  const compressed = Object.entries(sizes).map(([name, size]) => [`assets/${name}.br`, 'x'.repeat(size)]);
  return temporaryFolder({ 'index.html': PAGE, 'index.html.br': PAGE, ...Object.fromEntries(compressed) });
}

test('a client within its budget passes; analytics, loaded late and seldom, count for nothing', () => {
  const folder = builtClient({
    'index-a1.js': 64_000,
    'Dashboard-b2.js': 48_000,
    'style-c3.css': 5_000,
    'firebase-d4.js': 90_000,
  });
  expect(() => checkClientBudget(folder)).not.toThrow();
});

test('a byte too much before the login screen is named, with the size', () => {
  const folder = builtClient({ 'index-a1.js': 64_001 });
  expect(() => checkClientBudget(folder)).toThrow('blocking JavaScript, bytes: 64001 of at most 64000');
});

test('everything that is too much is named at once', () => {
  const folder = builtClient({ 'index-a1.js': 60_000, 'Dashboard-b2.js': 52_001, 'style-c3.css': 20_000 });
  expect(() => checkClientBudget(folder)).toThrow(/all JavaScript.*\n.*everything for \/dashboard/);
});

test('many small files are too many requests', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const folder = builtClient(Object.fromEntries(names.map((name) => [`${name}.js`, 1])));
  expect(() => checkClientBudget(folder)).toThrow('requests for /dashboard: 9 of at most 8');
});

test('what the client costs is told by part, and what the page names is what blocks', () => {
  const { parts, totals } = clientCosts(
    builtClient({ 'index-a1.js': 600, 'Dashboard-b2.js': 80, 'style-c3.css': 9 }),
  );
  expect(parts).toContainEqual({ name: 'Dashboard-b2.js', bytes: 80 });
  expect(totals).toMatchObject({ 'blocking JavaScript, bytes': 600, 'all JavaScript, bytes': 680 });
});
