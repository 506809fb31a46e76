import { chmodSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { backUp, dumpsIn, STAND_IN_FOR_POSTGRES } from './backUp.ts';

async function databaseIn(variables: string): Promise<string> {
  const folder = temporaryFolder({ variables, command: STAND_IN_FOR_POSTGRES });
  chmodSync(path.join(folder, 'command'), 0o755);
  const state = path.join(folder, 'state');
  await backUp([path.join(folder, 'variables'), path.join(folder, 'command')], { STATE_DIRECTORY: state });
  return readFileSync(path.join(state, dumpsIn(state)[0] ?? ''), 'utf8').trim();
}

test.each([
  ['DATABASE_URL="postgresql://audio:a@db.example/partners?sslrootcert=/etc/ca.crt"', 'partners'],
  ["DATABASE_URL='postgresql://audio@/partners'", 'partners'],
  ['DATABASE_URL=postgres://db.example:5432/partners_2', 'partners_2'],
  ['DATABASE_URL=postgresql://audio:S3%2Fcr%40t@[2001:db8::7]:5432/partners', 'partners'],
  ['DATABASE_URL=postgresql://audio:a@%2Frun%2Fpostgresql/partners', 'partners'],
  ['DATABASE_URL=postgresql://audio@localhost/partners?host=/run/postgresql', 'partners'],
  ['DATABASE_URL=postgresql://old/old\nDATABASE_URL=postgresql://new/new', 'new'],
  ['DATABASE_DIRECT_URL=""\nDATABASE_URL=postgresql://db.example/restored', 'restored'],
  ['DATABASE_DIRECT_URL=postgresql://db/partners\nDATABASE_URL=postgresql://pooler/alias', 'partners'],
])('backup.sh finds the database of %s', async (line, database) => {
  expect(await databaseIn(`${line}\n`)).toBe(database);
});

test.each([
  ['', '/etc/ssl/certs/ca-certificates.crt'],
  ['NODE_EXTRA_CA_CERTS=/etc/ours.crt\n', '/etc/ours.crt'],
])('libpq checks a certificate by the roots that Node takes (%j)', async (line, roots) => {
  const folder = temporaryFolder({
    variables: `${line}DATABASE_URL=postgresql://audio@db.example/audio?sslmode=verify-full\n`,
    command: STAND_IN_FOR_POSTGRES.replace('if grep', 'if tee -a "$(dirname "$0")/asked" | grep'),
  });
  const command = path.join(folder, 'command');
  chmodSync(command, 0o755);
  await backUp([path.join(folder, 'variables'), command], { STATE_DIRECTORY: folder });
  expect(readFileSync(path.join(folder, 'asked'), 'utf8')).toContain(
    `@db.example:5432/audio?sslmode=verify-full&sslrootcert=${roots}'`,
  );
});

test.each([
  'postgresql://audio:S3cret@db.example',
  'postgresql://audio:S3cret@db.example:5432/',
  'postgresql://audio:S3cret@db.example?sslmode=require',
  'postgresql://audio:S3cret@localhost?host=/run/postgresql',
  'postgresql://audio:S3cret@[2001:db8::7]:5432',
  'postgresql://audio:S3cret@%2Frun%2Fpostgresql',
  'postgresql://audio:S3%2Fcret@db.example',
  'postgresql://audio:S3/cret@db.example/partners',
  'postgresql://audio:12/cret@db.example/partners',
  'postgresql://audio:12/cret?@db.example/partners',
  'postgresql://audio:S3#cret@db.example/partners',
  'postgresql://audio:S3%cret@db.example/partners',
  'postgresql://db.example/S3%63ret',
  'postgresql://db.example/--S3cret',
  'postgresql://S3cret',
  '"postgresql://audio:first\nS3cret;select@db.example/partners"',
  'audio:S3cret@db.example/partners',
  'postgresql://audio:S3cret@db.example/partners # ours',
  `"postgresql://audio:S3'cret@db.example"`,
])('backup.sh refuses %s without repeating any part of it', async (address) => {
  const folder = temporaryFolder({ variables: `DATABASE_URL=${address}\n`, spy: 'echo "$@" >&2' });
  chmodSync(path.join(folder, 'spy'), 0o755);
  const state = path.join(folder, 'state');
  const variables = path.join(folder, 'variables');
  await expect(
    backUp([variables, path.join(folder, 'spy')], { STATE_DIRECTORY: state }),
  ).rejects.toMatchObject({
    code: 78,
    stdout: '',
    stderr:
      `DATABASE_URL in ${variables} must end in the name of a database, of letters, digits and _.- only, and ` +
      'no comment, with the password percent-encoded: postgresql://user:password@host/database\n',
  });
  expect(dumpsIn(state)).toEqual([]);
});

test.each(['export DATABASE_URL=postgresql://db.example/audio', 'POSTGRES_PASSWORD=x'])(
  'backup.sh refuses a file of %s alone',
  async (line) => {
    const folder = temporaryFolder({ variables: `${line}\n` });
    const variables = path.join(folder, 'variables');
    await expect(backUp([variables, 'echo'], { STATE_DIRECTORY: folder })).rejects.toMatchObject({
      code: 78,
      stderr: `${variables} names no database: write DATABASE_URL=address, without export or blanks around =\n`,
    });
  },
);

describe('backup.sh --containers', () => {
  /**
   * Backs up by a stand-in for docker, where each instance prints its address, or does not run, and `.env` leads to
   * `next`. Returns the command that made the dump, and whether a container was started.
   */
  const backUpContainers = async (files: Record<string, string>) => {
    const folder = temporaryFolder({
      docker: `#!/bin/bash
        case "$*" in
          *" exec -T app-"*) cat "${'$'}{0%/*}/$6" ;;
          *" config") printf 'services:\\n  app-1:\\n    environment:\\n      DATABASE_URL: %s\\n  app-2:\\n' "$(cat "${'$'}{0%/*}/next")" ;;
          *" psql "*) if grep -q count; then echo 1; else printf 'same\\nsame\\n'; fi ;;
          *" pg_dump "*) echo "$@" ;;
          *" pg_restore "*) ;;
          *) touch "${'$'}{0%/*}/started" ;;
        esac`,
      ...files,
    });
    chmodSync(path.join(folder, 'docker'), 0o755);
    const state = path.join(folder, 'state');
    const env = { PATH: `${folder}:${process.env.PATH}`, STATE_DIRECTORY: state };
    await backUp(['--containers', '/opt/audio'], env);
    expect(existsSync(path.join(folder, 'started'))).toBe(false);
    return readFileSync(path.join(state, dumpsIn(state)[0] ?? ''), 'utf8');
  };
  const AUDIO = 'postgresql://audio:5ec2e7@database/audio\n';
  const RESTORED = 'postgresql://audio:5ec2e7@database/audio_restored\n';

  test.each([
    ['both instances use', { 'app-1': RESTORED, 'app-2': RESTORED, next: AUDIO }],
    ['the only instance uses', { 'app-2': RESTORED, next: AUDIO }],
    ['stopped instances would use, and starts none,', { next: RESTORED }],
  ])('backs up the database that %s in the database’s container', async (_case, files) => {
    expect(await backUpContainers(files)).toMatch(
      /^compose --project-directory \/opt\/audio exec -T --env PGUSER=postgres database .* pg_dump .* audio_restored\n$/,
    );
  });

  test.each([
    [
      'differ',
      { 'app-1': AUDIO, 'app-2': RESTORED },
      'DATABASE_URL differs between app-1 and app-2: restart both\n',
    ],
    [
      'use another host',
      { 'app-1': 'postgresql://audio:5ec2e7@db.example/audio' },
      'DATABASE_URL in the containers leads to another host than the container database\n',
    ],
  ])('refuses containers that %s', async (_case, running, told) => {
    await expect(backUpContainers(running)).rejects.toMatchObject({
      code: 78,
      stderr: expect.stringMatching(new RegExp(`${told}$`)),
    });
  });

  test('is what replaces the former command, which may read another name', async () => {
    const folder = temporaryFolder({ variables: 'DATABASE_URL=postgresql://audio@localhost/audio\n' });
    const former = [path.join(folder, 'variables'), 'docker', 'compose', 'exec', '-T', 'database'];
    await expect(backUp(former, { STATE_DIRECTORY: folder })).rejects.toMatchObject({
      code: 78,
      stderr: expect.stringContaining('--containers'),
    });
  });
});
