import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../../server/config/paths.ts';
import { breakingChanges, declaredChanges } from './schemaDiff.ts';

const read = (file: string) => readFileSync(path.join(PROJECT_ROOT, file), 'utf8');
const released = read('docs/released/schema.graphql');
const apiPage = read('docs/api.md');

test('schema.graphql takes from callers of the released one what docs/api.md declares, and nothing else', async () => {
  expect(await breakingChanges(released, read('schema.graphql'))).toEqual(declaredChanges(apiPage));
});
