import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createIcyInterleaver, ICY_METAINT_BYTES } from '../../../server/demo/icyMetadata.ts';

const TITLE = 'Señal de demostración';

/** Splits the bytes of an `Icy-MetaData: 1` connection into the sound and the text of each whole metadata block. */
function splitIcy(wire: Buffer, metaintBytes: number) {
  const sound: Buffer[] = [];
  const blocks: string[] = [];
  let at = 0;
  while (at < wire.length) {
    sound.push(wire.subarray(at, at + metaintBytes));
    at += metaintBytes;
    if (at >= wire.length) break;
    const end = at + 1 + 16 * wire.readUInt8(at);
    blocks.push(wire.toString('utf8', at + 1, end).replace(/\0+$/, ''));
    at = end;
  }
  return { sound: Buffer.concat(sound), blocks };
}

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
