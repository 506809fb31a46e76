import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../../server/config/paths.ts';
import { breakingChanges, declaredChanges } from './schemaDiff.ts';

const read = (file: string) => readFileSync(path.join(PROJECT_ROOT, file), 'utf8');
const released = read('docs/released/schema.graphql');
const apiPage = read('docs/api.md');

test('schema.graphql takes from callers of the released one what docs/api.md declares, and nothing else', async () => {
  expect(await breakingChanges(released, read('schema.graphql'))).toEqual(declaredChanges(apiPage));
});

describe('a schema', () => {
  const REMOVED = "Field 'lifetimeSeconds' was removed from object type 'StreamToken'";
  const withoutField = changed(/ {2}"The time between [^\n]*\n {2}lifetimeSeconds: Int!\n/, '');

  test.each([
    ['without a field', withoutField, REMOVED],
    [
      'with an argument that must be given',
      changed('username: String!', 'username: String!\n    code: String!'),
      "Argument 'code: String!' added to field 'Mutation.login'",
    ],
    [
      'with an answer that may be missing',
      changed('streamUrl: String!', 'streamUrl: String'),
      "Field 'StreamToken.streamUrl' changed type from 'String!' to 'String'",
    ],
    [
      'without an operation',
      changed('logout: Boolean!', 'signOut: Boolean!'),
      "Field 'logout' was removed from object type 'Mutation'",
    ],
  ])('%s breaks callers', async (_how, schema, change) => {
    expect(await breakingChanges(released, schema)).toEqual([change]);
  });

  test.each([
    ['a field more', changed('streamUrl: String!', 'streamUrl: String!\n  title: String')],
    ['an argument that may be left out', changed('username: String!', 'username: String!\n    code: String')],
    ['a field that is going to leave', changed('logout: Boolean!', 'logout: Boolean! @deprecated')],
  ])('with %s does not', async (_what, schema) => {
    expect(await breakingChanges(released, schema)).toEqual([]);
  });

  test('that breaks callers passes once its change is declared with what to use instead', async () => {
    const declaring = (item: string) => declaredChanges(`# The API\n\n## Breaking changes\n\n${item}\n`);
    const undeclared = declaring('None.');
    expect(await breakingChanges(released, withoutField)).not.toEqual(undeclared);
    expect(declaring(`- \`${REMOVED}\``)).toEqual(undeclared);
    const declared = declaring(`- \`${REMOVED}\`: count from \`expiry\``);
    expect(await breakingChanges(released, withoutField)).toEqual(declared);
  });
});

function changed(what: string | RegExp, into: string): string {
  const schema = released.replace(what, into);
  if (schema === released) throw new Error(`There is no ${what} in the released schema`);
  return schema;
}
