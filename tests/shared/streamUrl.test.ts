import { expect, test } from 'vitest';
import { baseOfStreamUrl, streamUrl } from '../../shared/streamUrl.ts';

test('the address is the base directly followed by the token', () => {
  const base = 'https://audio.example/mp3/icecast.audio?wmsAuthSign=';
  const token = 'c2VydmVy+X3Rp/bWU9MQ%3D==';
  expect(streamUrl(base, token)).toBe(
    'https://audio.example/mp3/icecast.audio?wmsAuthSign=c2VydmVy+X3Rp/bWU9MQ%3D==',
  );
});

test('the base is what stands before a token that ends the address', () => {
  expect(baseOfStreamUrl('https://audio.example/a?sign=b==', 'b==')).toBe('https://audio.example/a?sign=');
  expect(baseOfStreamUrl('https://audio.example/a?sign=b==&c', 'b==')).toBeNull();
});
