import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

const PAGE = 'index.html';
/** Loaded only where it is configured, once the page is idle. */
const OPTIONAL = /^firebase-/;
/** Beside the files, the dashboard asks the API once. */
const API_REQUESTS = 1;

const BUDGETS = {
  'blocking JavaScript, bytes': 64_000,
  'all JavaScript, bytes': 112_000,
  'everything for /dashboard, bytes': 130_000,
  'requests for /dashboard': 8,
};

export type ClientCosts = {
  /** What a browser fetches for both screens, without analytics. */
  parts: Array<{ name: string; bytes: number }>;
  totals: Record<keyof typeof BUDGETS, number>;
};

/** What the built client in the folder costs, in bytes as brotli sends them. */
export function clientCosts(folder: string): ClientCosts {
  const page = readFileSync(path.join(folder, PAGE), 'utf8');
  const files = readdirSync(path.join(folder, 'assets'))
    .filter((name) => name.endsWith('.br') && !OPTIONAL.test(name))
    .map((name) => ({ name: name.slice(0, -'.br'.length), bytes: sizeOf(folder, 'assets', name) }));
  const scripts = files.filter(({ name }) => name.endsWith('.js'));
  const parts = [{ name: PAGE, bytes: sizeOf(folder, `${PAGE}.br`) }, ...files];
  return {
    parts,
    totals: {
      'blocking JavaScript, bytes': sum(
        scripts.filter(({ name }) => new RegExp(`(src|href)="[^"]*/${name}"`).test(page)),
      ),
      'all JavaScript, bytes': sum(scripts),
      'everything for /dashboard, bytes': sum(parts),
      'requests for /dashboard': parts.length + API_REQUESTS,
    },
  };
}

/**
 * Sees that the built client in the folder costs no more than it may.
 * @throws naming all that is too much
 */
export function checkClientBudget(folder: string): void {
  const { totals } = clientCosts(folder);
  const excesses = Object.entries(BUDGETS)
    .map(([name, budget]) => ({ name, budget, cost: totals[name as keyof typeof BUDGETS] }))
    .filter(({ budget, cost }) => cost > budget)
    .map(({ name, budget, cost }) => `${name}: ${cost} of at most ${budget}`);
  if (excesses.length > 0) throw new Error(`The client grew past its budget.\n${excesses.join('\n')}`);
}

function sum(files: Array<{ bytes: number }>): number {
  return files.reduce((total, { bytes }) => total + bytes, 0);
}

function sizeOf(...file: string[]): number {
  return statSync(path.join(...file)).size;
}
