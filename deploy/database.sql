-- Run once by compose.yaml's PostgreSQL, on an empty volume; may be run again. Creates the instances' role, which owns its
-- database and has no other right. Without a password the superuser can sign in only inside its container.
-- tests/deploy/databaseRole.test.ts runs this.
\set ON_ERROR_STOP on
\getenv password POSTGRES_PASSWORD
SELECT format('CREATE ROLE audio LOGIN PASSWORD %L', :'password')
  WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'audio') \gexec
SELECT $$
  CREATE DATABASE audio OWNER audio ENCODING 'UTF8' LOCALE 'C.UTF-8' TEMPLATE template0
$$ WHERE NOT EXISTS (SELECT FROM pg_database WHERE datdba = 'audio'::regrole) \gexec
ALTER ROLE postgres PASSWORD NULL;
