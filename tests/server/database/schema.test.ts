import { readFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../../server/config/paths.ts';
import { NO_FILTERS, withSchemaEngine } from '../../../server/database/schemaEngine.ts';
import { query } from '../../support/query.ts';
import { createTestDatabase, emptyTestDatabase } from '../../support/testDatabase.ts';

/** Everything that a Prisma schema can describe in PostgreSQL, a line each, whatever order it was made in. */
const DESCRIBE_SCHEMA = `
  WITH tables AS (
    SELECT oid, relname FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm') AND relname <> '_prisma_migrations'
  )
  SELECT format('column %s.%s %s %s default %s', relname, attname, format_type(atttypid, atttypmod),
                CASE WHEN attnotnull THEN 'not null' ELSE 'null' END, coalesce(pg_get_expr(adbin, adrelid), 'none')) AS line
  FROM tables JOIN pg_attribute ON attrelid = tables.oid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
  WHERE attnum > 0 AND NOT attisdropped
  UNION ALL
  SELECT format('constraint %s.%s %s', relname, conname, pg_get_constraintdef(pg_constraint.oid))
  FROM tables JOIN pg_constraint ON conrelid = tables.oid
  UNION ALL
  SELECT format('index %s', pg_get_indexdef(indexrelid)) FROM tables JOIN pg_index ON indrelid = tables.oid
  UNION ALL
  SELECT format('enum %s %s', typname, string_agg(enumlabel, ',' ORDER BY enumsortorder))
  FROM pg_type JOIN pg_enum ON enumtypid = pg_type.oid GROUP BY typname
  ORDER BY line`;

test('the migrations make exactly the database that schema.prisma describes', async () => {
  const [migrated, described] = await Promise.all([createTestDatabase(), emptyTestDatabase()]);
  try {
    await makeFromModel(described.url);

    const lines = await describeSchema(migrated.url);
    expect(lines).toContain('column accounts.username text not null default none');
    expect(lines).toEqual(await describeSchema(described.url));
  } finally {
    await Promise.all([migrated.drop(), described.drop()]);
  }
});

async function makeFromModel(url: string): Promise<void> {
  const content = await readFile(path.join(PROJECT_ROOT, 'prisma', 'schema.prisma'), 'utf8');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { stdout } = await withSchemaEngine(client, content, (engine) =>
    engine.diff({
      from: { tag: 'empty' },
      to: { tag: 'schemaDatamodel', files: [{ path: 'schema.prisma', content }] },
      script: true,
      exitCode: null,
      filters: NO_FILTERS,
    }),
  );
  await client.query(stdout ?? '');
  await client.end();
}

async function describeSchema(url: string): Promise<string[]> {
  return (await query(url, DESCRIBE_SCHEMA)).map(({ line }) => line);
}
