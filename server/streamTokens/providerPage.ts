import { Readable, type Transform } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createInflate,
  createInflateRaw,
  createUnzip,
  type ZlibOptions,
} from 'node:zlib';
import type { Dispatcher } from 'undici';
import { badAnswer } from './providerErrors.ts';

export type ProviderPage = {
  html: string;
  /** True when the page may go on after `html`. */
  isCut: boolean;
  /**
   * A word of `Content-Encoding` that names no coding we know, else null. The page was read as it came; if it holds no
   * link, the operator is told this word.
   */
  unreadableCoding: string | null;
  /** Its `Age` header: how long it was in a cache; 0 without one. */
  ageSeconds: number;
};

export const PAGE_LIMIT_BYTES = 64 * 1024;

// Also reads a page whose compressed data is cut off.
const ZLIB_OPTIONS: ZlibOptions = { finishFlush: constants.Z_SYNC_FLUSH };
const ZLIB_METHOD = 8;

/** Some providers compress although they were asked not to. */
const DECODERS = new Map<string, (bytes: Buffer) => Transform>([
  ['gzip', () => createUnzip(ZLIB_OPTIONS)],
  ['x-gzip', () => createUnzip(ZLIB_OPTIONS)],
  // Some servers send deflate without the header of zlib.
  [
    'deflate',
    ([first = 0]) =>
      (first & 0xf) === ZLIB_METHOD ? createInflate(ZLIB_OPTIONS) : createInflateRaw(ZLIB_OPTIONS),
  ],
  ['br', () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH })],
]);

/**
 * Reads at most `PAGE_LIMIT_BYTES` of a page, both as sent and decoded.
 * @throws {ProviderFailure} when it is not compressed as it says
 */
export async function readProviderPage({
  headers,
  body,
}: Pick<Dispatcher.ResponseData, 'headers' | 'body'>): Promise<ProviderPage> {
  // The stream emits an error when reading stops before its end.
  let { bytes, isCut } = await readUpToLimit(body.on('error', () => {}));
  let unreadableCoding: string | null = null;
  const codings = String(headers['content-encoding'] ?? '')
    .toLowerCase()
    .split(',');
  for (const coding of codings.map((each) => each.trim()).reverse()) {
    const decoder = DECODERS.get(coding)?.(bytes);
    // Leaves the bytes as they are, as browsers do: some servers name the charset here.
    if (decoder === undefined) unreadableCoding ??= isOtherCoding(coding) ? coding : null;
    else {
      const decoded = await decode(bytes, coding, decoder);
      bytes = decoded.bytes;
      isCut ||= decoded.isCut;
    }
  }
  return {
    html: new TextDecoder().decode(bytes),
    isCut,
    unreadableCoding,
    ageSeconds: Number(/^\d{1,10}$/.exec(String(headers.age ?? ''))?.[0] ?? 0),
  };
}

async function decode(bytes: Buffer, coding: string, decoder: Transform) {
  try {
    return await readUpToLimit(Readable.from([bytes]).pipe(decoder));
  } catch (error) {
    throw badAnswer(`content encoding ${coding}: ${(error as NodeJS.ErrnoException).code}`);
  }
}

async function readUpToLimit(stream: Readable): Promise<{ bytes: Buffer; isCut: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= PAGE_LIMIT_BYTES) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, PAGE_LIMIT_BYTES), isCut: length >= PAGE_LIMIT_BYTES };
}

/** `identity` means that nothing was compressed. The log gets no word that does not look like a coding. */
function isOtherCoding(coding: string): boolean {
  return coding !== 'identity' && /^[\w-]{1,20}$/.test(coding);
}
