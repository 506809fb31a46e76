import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createIcyInterleaver, ICY_METAINT_BYTES } from '../../../server/demo/icyMetadata.ts';
import { splitIcy } from './streamListener.ts';

const TITLE = 'Señal de demostración';

test.each([288, 16_000, 70_000])(
  'sound in runs of %d bytes is whole between the metadata blocks',
  (runBytes) => {
    const audio = randomBytes(70_000);
    const interleave = createIcyInterleaver(TITLE);
    const wire: Buffer[] = [];
    for (let at = 0; at < audio.length; at += runBytes)
      wire.push(interleave(audio.subarray(at, at + runBytes)));

    const { sound, blocks } = splitIcy(Buffer.concat(wire), ICY_METAINT_BYTES);
    expect(sound.equals(audio)).toBe(true);
    expect(blocks).toEqual([`StreamTitle='${TITLE}';`, '', '', '']);
  },
);
