import { chmodSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { copyForEveryone, makeLinks, runBinary } from '../../../../server/demo/postgres/binaries.ts';
import { spawnPostmaster } from '../../../../server/demo/postgres/postmaster.ts';
import { temporaryFolder } from '../../../support/temporaryFolder.ts';

test('the binaries of a closed folder are copied for another user', async () => {
  const folder = temporaryFolder({ 'native/bin/postgres': '', 'native/lib/libpq.so': 'a library' });
  for (const [file, mode] of Object.entries({ bin: 0o700, 'bin/postgres': 0o700, 'lib/libpq.so': 0o600 })) {
    chmodSync(path.join(folder, 'native', file), mode);
  }
  const copy = path.join(folder, 'copy');
  await copyForEveryone(path.join(folder, 'native'), copy);
  expect(readFileSync(path.join(copy, 'lib/libpq.so'), 'utf8')).toBe('a library');
  const modes = ['', 'bin', 'bin/postgres', 'lib/libpq.so'].map(
    (file) => statSync(path.join(copy, file)).mode & 0o777,
  );
  expect(modes).toEqual([0o755, 0o755, 0o755, 0o644]);
});

test('a binary whose loader is missing, as on Alpine, is said to need glibc', async () => {
  const binary = '#!/nowhere/ld-linux-x86-64.so.2\n';
  const binaries = temporaryFolder({ initdb: binary, postgres: binary });
  for (const name of ['initdb', 'postgres']) chmodSync(path.join(binaries, name), 0o755);
  const cluster = {
    folder: binaries,
    data: binaries,
    log: path.join(binaries, 'log'),
    password: '',
    binaries,
  };
  const said = /glibc.+Alpine.+set DATABASE_URL/;
  await expect(runBinary(path.join(binaries, 'initdb'), [], null)).rejects.toThrow(said);
  await expect(spawnPostmaster({ ...cluster, runAs: null }, null)).rejects.toThrow(said);
});

test('the links that npm left out with ignore-scripts are made', async () => {
  const links = [
    { source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' },
    { source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so' },
  ];
  const folder = temporaryFolder({
    'native/pg-symlinks.json': JSON.stringify(links),
    'native/lib/libpq.so.5.18': 'a library',
    'native/lib/libpq.so': 'already there',
  });
  await makeLinks(folder);
  expect(readlinkSync(path.join(folder, 'native/lib/libpq.so.5'))).toBe('libpq.so.5.18');
  expect(readFileSync(path.join(folder, 'native/lib/libpq.so'), 'utf8')).toBe('already there');
});
