import { createRequire } from 'node:module';
import { CriticalityLevel, diff } from '@graphql-inspector/core';

// Loaded as the inspector loads it: Vitest would take graphql's other build, whose types the inspector does not know.
const { buildSchema }: typeof import('graphql') = createRequire(import.meta.url)('graphql');

/** Returns the changes that break callers of the released schema, in graphql-inspector's words. */
export async function breakingChanges(released: string, schema: string): Promise<string[]> {
  const changes = await diff(buildSchema(released), buildSchema(schema));
  return changes
    .filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking)
    .map(({ message }) => message);
}

/** The changes that a page lists under its heading "Breaking changes…", each as "- `change`: what to use instead". */
export function declaredChanges(page: string): string[] {
  const section = page.split(/^#+ /m).find((part) => part.startsWith('Breaking changes')) ?? '';
  return [...section.matchAll(/^- `([^`]+)`: \S/gm)].map(([, change = '']) => change);
}
