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

test('a field that is removed would be noticed', async () => {
  const [before, after] = ['type Query { stream: Int, token: Int }', 'type Query { stream: Int }'];
  expect(await breakingChanges(before, after)).toEqual([
    "Field 'token' was removed from object type 'Query'",
  ]);
});
