import pg from 'pg';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { openDatabase } from '../../../server/database/database.ts';
import { PATIENCE_MS } from '../../support/patientDatabase.ts';
import { query } from '../../support/query.ts';
import { createTestDatabase, type TestDatabase } from '../../support/testDatabase.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  return database.drop;
});

async function warningsOfStart(url: string): Promise<string[]> {
  const warnings: string[] = [];
  const opened = openDatabase(url, {
    connectTimeoutMs: PATIENCE_MS,
    queryTimeoutMs: PATIENCE_MS,
    onWarning: (warning) => void warnings.push(warning),
  });
  onTestFinished(opened.close);
  await opened.warmUp();
  return warnings;
}

test('a start warns of a changed collation', async () => {
  const url = new URL(database.url);
  url.pathname = `${url.pathname}_collated`;
  const name = url.pathname.slice(1);
  // The machine may have no locale whose collation has a version.
  const locale = "LOCALE 'C' LOCALE_PROVIDER icu ICU_LOCALE 'es'";
  await query(database.url, `CREATE DATABASE ${name} ENCODING UTF8 ${locale} TEMPLATE template0`);
  onTestFinished(() => query(database.url, `DROP DATABASE ${name} WITH (FORCE)`).then(() => undefined));
  expect(await warningsOfStart(url.href)).toEqual([]);
  await query(database.url, `UPDATE pg_database SET datcollversion = '0' WHERE datname = '${name}'`);
  expect(await warningsOfStart(url.href)).toEqual([
    expect.stringMatching(/^the indexes of the database are sorted by version 0 .* REINDEX DATABASE /),
  ]);
});

test('a start warns of a PostgreSQL that is too old', async () => {
  const ask = pg.Client.prototype.query;
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...sent) {
    const old = { rows: [{ server_version: '14.9' }] };
    return sent[0] === 'SHOW server_version' ? Promise.resolve(old) : Reflect.apply(ask, this, sent);
  });
  onTestFinished(() => spy.mockRestore());
  expect(await warningsOfStart(database.url)).toEqual(['PostgreSQL 15 or later is needed, this is 14.9']);
});
