import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, afterEach, beforeAll } from 'vitest';

/** Gives a test file a role that has no rights at the start of each test, and a superuser's connection. */
export function provideRole(databaseUrl: () => string) {
  const name = `role_${randomUUID().replaceAll('-', '')}`;
  const password = 'canario-de-rol';
  let admin: pg.Client;
  beforeAll(async () => {
    admin = new pg.Client({ connectionString: databaseUrl() });
    await admin.connect();
    await admin.query(`CREATE ROLE ${name} LOGIN PASSWORD '${password}'`);
  });
  afterEach(() =>
    admin.query(
      `ALTER ROLE ${name} LOGIN CONNECTION LIMIT -1; ALTER ROLE ${name} RESET ALL; DROP OWNED BY ${name}`,
    ),
  );
  afterAll(async () => {
    await admin.query(`DROP ROLE ${name}`);
    await admin.end();
  });
  return {
    name,
    password,
    get admin() {
      return admin;
    },
    urlOf: (url: string) => Object.assign(new URL(url), { username: name, password }).href,
  };
}
