import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { query } from '../../support/query.ts';
import { createTestDatabase } from '../../support/testDatabase.ts';

const SCALARS: Record<string, string> = {
  String: 'text',
  Boolean: 'boolean',
  Int: 'integer',
  Bytes: 'bytea',
};

const blocks = [
  ...readFileSync('prisma/schema.prisma', 'utf8').matchAll(/^(model|enum) (\w+) \{\n(.*?)^\}/gms),
].map(([, kind, name = '', body = '']) => ({
  kind,
  name,
  mapped: /@@map\("(\w+)"\)/.exec(body)?.[1] ?? name,
  lines: body.split('\n').filter((line) => /^ +(\w|@@(index|unique))/.test(line)),
}));
const enums = blocks.filter(({ kind }) => kind === 'enum');
const models = blocks.filter(({ kind }) => kind === 'model');

let url: string;

beforeAll(async () => {
  const database = await createTestDatabase();
  url = database.url;
  return database.drop;
});

test('the migrations make the columns of every model', async () => {
  const columns = `
    SELECT format('%s.%s %s %s', relname, attname, format_type(atttypid, atttypmod),
      CASE WHEN attnotnull THEN 'not null' ELSE 'null' END) AS line
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> '_prisma_migrations'
      AND attnum > 0 AND NOT attisdropped`;
  expect(await sortedLines(columns)).toEqual(modelLines(columnsOf));
});

test('the migrations make the indexes of every model', async () => {
  const indexes = `
    SELECT indexname || CASE WHEN indexdef LIKE 'CREATE UNIQUE%' THEN ' unique' ELSE '' END AS line
    FROM pg_indexes WHERE schemaname = 'public' AND tablename <> '_prisma_migrations'`;
  expect(await sortedLines(indexes)).toEqual(modelLines(indexesOf));
});

test('the migrations make the values of every enum', async () => {
  const values = `SELECT typname || '.' || enumlabel AS line FROM pg_enum JOIN pg_type ON pg_type.oid = enumtypid`;
  const described = enums.flatMap(({ mapped, lines }) => lines.map((line) => `${mapped}.${line.trim()}`));
  expect(await sortedLines(values)).toEqual(described.sort());
});

async function sortedLines(statement: string): Promise<string[]> {
  return (await query(url, statement)).map(({ line }) => String(line)).sort();
}

function modelLines(linesOf: (table: string, lines: string[]) => string[]): string[] {
  return models.flatMap(({ mapped, lines }) => linesOf(mapped, lines)).sort();
}

function columnsOf(table: string, lines: string[]): string[] {
  return lines.flatMap((line) => {
    const [, field = '', type = '', many = ''] = /^ +(\w+) +(\w+)(\?|\[\])?/.exec(line) ?? [];
    const isRelation = models.some(({ name }) => name === type);
    if (field === '' || isRelation) return [];
    const precision = /@db\.Timestamptz\((\d)\)/.exec(line)?.[1];
    const native = line.includes('@db.Uuid') ? 'uuid' : precision && `timestamp(${precision}) with time zone`;
    const stored = native || enums.find(({ name }) => name === type)?.mapped || SCALARS[type];
    // Prisma makes the column of a list without NOT NULL.
    return `${table}.${columnOf(field, lines)} ${stored}${many.replace('?', '')} ${many ? 'null' : 'not null'}`;
  });
}

/** Their names, which Prisma makes of those of the columns. */
function indexesOf(table: string, lines: string[]): string[] {
  return lines.flatMap((line) => {
    const [, kind, fields = ''] = /@@(index|unique)\(\[([\w, ]+)\]\)/.exec(line) ?? [];
    const columns = fields.split(', ').map((field) => columnOf(field, lines));
    if (kind) return `${[table, ...columns].join('_')}${kind === 'unique' ? '_key unique' : '_idx'}`;
    if (/ @id\b/.test(line)) return `${table}_pkey unique`;
    const [, field = ''] = /^ +(\w+) .* @unique\b/.exec(line) ?? [];
    return field ? `${table}_${columnOf(field, lines)}_key unique` : [];
  });
}

function columnOf(field: string, lines: string[]): string {
  const line = lines.find((one) => one.trim().startsWith(`${field} `)) ?? '';
  return /@map\("(\w+)"\)/.exec(line)?.[1] ?? field;
}
