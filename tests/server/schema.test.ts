import { readFileSync } from 'node:fs';
import path from 'node:path';
import { buildSchema, isIntrospectionType, isObjectType, isSpecifiedScalarType } from 'graphql';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../server/paths.ts';

test('every type, field and argument of the schema is described', () => {
  const schema = buildSchema(readFileSync(path.join(PROJECT_ROOT, 'schema.graphql'), 'utf8'));
  const own = Object.values(schema.getTypeMap()).filter(
    (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
  );
  const undescribed = own.flatMap((type) => {
    const fields = isObjectType(type) ? Object.values(type.getFields()) : [];
    return [
      ...(type.description ? [] : [type.name]),
      ...fields.flatMap((field) => [
        ...(field.description ? [] : [`${type.name}.${field.name}`]),
        ...field.args
          .filter((arg) => !arg.description)
          .map((arg) => `${type.name}.${field.name}(${arg.name})`),
      ]),
    ];
  });
  expect(own.length).toBeGreaterThan(5);
  expect(undescribed).toEqual([]);
});
