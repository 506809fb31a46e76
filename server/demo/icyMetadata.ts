export const ICY_METAINT_BYTES = 16_000;

const BLOCK_UNIT_BYTES = 16;

/**
 * Inserts SHOUTcast metadata into the sound of one connection, for players that sent `Icy-MetaData: 1`: the title in
 * the first block, then empty blocks, because it does not change.
 */
export function createIcyInterleaver(title: string): (audio: Buffer) => Buffer {
  let bytesUntilBlock = ICY_METAINT_BYTES;
  let block = titleBlock(title);

  return (audio) => {
    const parts: Buffer[] = [];
    let rest = audio;
    while (rest.length >= bytesUntilBlock) {
      parts.push(rest.subarray(0, bytesUntilBlock), block);
      rest = rest.subarray(bytesUntilBlock);
      bytesUntilBlock = ICY_METAINT_BYTES;
      block = Buffer.alloc(1);
    }
    bytesUntilBlock -= rest.length;
    parts.push(rest);
    return Buffer.concat(parts);
  };
}

function titleBlock(title: string): Buffer {
  const text = Buffer.from(`StreamTitle='${title}';`);
  const units = Math.ceil(text.length / BLOCK_UNIT_BYTES);
  const block = Buffer.alloc(1 + units * BLOCK_UNIT_BYTES);
  block[0] = units;
  text.copy(block, 1);
  return block;
}
