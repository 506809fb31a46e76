import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { CriticalityLevel, diff } from '@graphql-inspector/core';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../../server/config/folders.ts';

// Loaded as the inspector loads it: Vitest would take graphql's other build, whose types the inspector does not know.
const { buildSchema }: typeof import('graphql') = createRequire(import.meta.url)('graphql');

const read = (file: string) => readFileSync(path.join(PROJECT_ROOT, file), 'utf8');

test('breaking changes of the schema are those that docs/api.md declares', async () => {
  const released = buildSchema(read('docs/released/schema.graphql'));
  const changes = await diff(released, buildSchema(read('schema.graphql')));
  const breaking = changes.filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking);
  const section = read('docs/api.md')
    .split(/^#+ /m)
    .find((part) => part.startsWith('Breaking changes'));
  const declared = [...(section ?? '').matchAll(/^- `([^`]+)`: \S/gm)].map(([, change]) => change);
  expect(breaking.map(({ message }) => message)).toEqual(declared);
});
