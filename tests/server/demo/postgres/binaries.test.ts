import { chmodSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { copyForEveryone } from '../../../../server/demo/postgres/binaries.ts';
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
