import { defineConfig } from 'prisma/config';

const { DATABASE_URL } = process.env;

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  // Only commands that go to a database need one; generating the client does not.
  ...(DATABASE_URL && { datasource: { url: DATABASE_URL } }),
});
