import { expect, test } from 'vitest';
import { streamAddress } from '../../../client/dashboard/streamAddress.ts';

test('the address is the base directly followed by the token, as both are written', () => {
  const base = 'https://audio.example/mp3/icecast.audio?wmsAuthSign=';
  const token = 'c2VydmVy+X3Rp/bWU9MQ%3D==';
  expect(streamAddress(base, token)).toBe(
    'https://audio.example/mp3/icecast.audio?wmsAuthSign=c2VydmVy+X3Rp/bWU9MQ%3D==',
  );
});
