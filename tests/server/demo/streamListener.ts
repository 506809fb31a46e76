/**
 * A connection to the stream whose sound is read as far as asked for.
 * @returns status and headers; `read` resolves with the next so many bytes and rejects when the connection ends before
 */
export async function openStream(url: string, headers: Record<string, string> = {}) {
  const abort = new AbortController();
  const response = await fetch(url, { headers, signal: abort.signal });
  const reader = response.body?.getReader();
  let waiting = Buffer.alloc(0);

  return {
    status: response.status,
    headers: response.headers,
    async read(bytes: number): Promise<Buffer> {
      while (waiting.length < bytes) {
        const part = await reader?.read();
        if (!part?.value) throw new Error('The stream ended');
        waiting = Buffer.concat([waiting, part.value]);
      }
      const read = waiting.subarray(0, bytes);
      waiting = waiting.subarray(bytes);
      return read;
    },
    leave: () => abort.abort(),
  };
}

/** Splits the bytes of an `Icy-MetaData: 1` connection into the sound and the text of each whole metadata block. */
export function splitIcy(wire: Buffer, metaintBytes: number) {
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
