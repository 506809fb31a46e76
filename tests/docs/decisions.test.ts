import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/paths.ts';

test('the decisions are numbered one by one', () => {
  const files = readdirSync(path.join(PROJECT_ROOT, 'docs', 'decisions')).sort();
  expect(files.map((file) => Number(file.slice(0, 4)))).toEqual(files.map((_, index) => index + 1));
});
