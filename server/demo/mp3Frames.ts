const HEADER_BYTES = 4;
const SAMPLES_PER_FRAME = 1152;
const BIT_RATES_KBIT = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const SAMPLE_RATES_HZ = [44_100, 48_000, 32_000];

export type Mp3Loop = {
  frameCount: number;
  frameDurationMs: number;
  bitRateKbit: number;
  /** Returns the frames from `first` up to `end` (excluded), counted endlessly over the loop, without copying. */
  slices(first: number, end: number): Buffer[];
};

/** Throws unless the file holds only MPEG-1 Layer III frames of one bit rate and sample rate, and no ID3 tag. */
export function readMp3Loop(file: Buffer): Mp3Loop {
  const offsets: number[] = [];
  const rates = readHeader(file, 0);
  let offset = 0;
  while (offset < file.length) {
    const { frameBytes, bitRateKbit, sampleRateHz } = readHeader(file, offset);
    if (bitRateKbit !== rates.bitRateKbit || sampleRateHz !== rates.sampleRateHz) {
      throw new Error(`The MP3 changes its rate at byte ${offset}`);
    }
    offsets.push(offset);
    offset += frameBytes;
  }
  if (offset > file.length) throw new Error('The last MP3 frame is cut short');

  const frameCount = offsets.length;
  const offsetOf = (index: number) => offsets[index] ?? file.length;
  return {
    frameCount,
    frameDurationMs: (SAMPLES_PER_FRAME / rates.sampleRateHz) * 1000,
    bitRateKbit: rates.bitRateKbit,
    slices(first, end) {
      const slices: Buffer[] = [];
      for (let at = first; at < end; ) {
        const index = at % frameCount;
        const count = Math.min(end - at, frameCount - index);
        slices.push(file.subarray(offsetOf(index), offsetOf(index + count)));
        at += count;
      }
      return slices;
    },
  };
}

function readHeader(file: Buffer, offset: number) {
  const [sync = 0, version = 0, rateBits = 0] = file.subarray(offset, offset + HEADER_BYTES);
  const bitRateKbit = BIT_RATES_KBIT[rateBits >> 4];
  const sampleRateHz = SAMPLE_RATES_HZ[(rateBits >> 2) & 3];
  const isMpeg1Layer3 = sync === 0xff && (version & 0xfe) === 0xfa;
  if (!isMpeg1Layer3 || !bitRateKbit || !sampleRateHz) throw new Error(`No MP3 frame at byte ${offset}`);
  const paddingBytes = (rateBits >> 1) & 1;
  const frameBytes = Math.floor(((SAMPLES_PER_FRAME / 8) * bitRateKbit * 1000) / sampleRateHz) + paddingBytes;
  return { frameBytes, bitRateKbit, sampleRateHz };
}
