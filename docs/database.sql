-- What compose.yaml has PostgreSQL run once, on an empty volume: the instances' role, which owns its database and has no other
-- right. The superuser keeps no password, so it is let in from within its container alone. tests/deploy/databaseRole.test.ts runs this.
\set ON_ERROR_STOP on
\getenv password POSTGRES_PASSWORD
CREATE ROLE audio LOGIN PASSWORD :'password';
CREATE DATABASE audio OWNER audio;
ALTER ROLE postgres PASSWORD NULL;
