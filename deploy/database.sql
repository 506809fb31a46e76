-- Run once by compose.yaml's PostgreSQL, on an empty volume. Creates the instances' role, which owns its database and
-- has no other right. Without a password the superuser can sign in only inside its container.
-- tests/deploy/databaseRole.test.ts runs this.
\set ON_ERROR_STOP on
\getenv password POSTGRES_PASSWORD
CREATE ROLE audio LOGIN PASSWORD :'password';
CREATE DATABASE audio OWNER audio ENCODING 'UTF8' LOCALE 'C.UTF-8' TEMPLATE template0;
ALTER ROLE postgres PASSWORD NULL;
