import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { copyForEveryone } from '../../../server/demo/postgresCluster.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

test('the programs of a closed folder are copied for another user', async () => {
  const folder = temporaryFolder({
    'native/bin/postgres': '#!/bin/sh\n',
    'native/lib/libpq.so': 'a library',
  });
  const copy = path.join(folder, 'copy');
  await copyForEveryone(path.join(folder, 'native'), copy);
  expect(readFileSync(path.join(copy, 'lib/libpq.so'), 'utf8')).toBe('a library');
  const modes = ['', 'bin', 'bin/postgres', 'lib/libpq.so'].map(
    (file) => statSync(path.join(copy, file)).mode & 0o777,
  );
  expect(modes).toEqual([0o755, 0o755, 0o755, 0o644]);
});
