import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../../server/config/folders.ts';
import { breakingChanges, declaredChanges } from './schemaDiff.ts';

const read = (file: string) => readFileSync(path.join(PROJECT_ROOT, file), 'utf8');
const released = read('docs/released/schema.graphql');
const apiPage = read('docs/api.md');

test('breaking changes of the schema are those that docs/api.md declares', async () => {
  expect(await breakingChanges(released, read('schema.graphql'))).toEqual(declaredChanges(apiPage));
});
