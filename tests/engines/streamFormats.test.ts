import { describe, expect, onTestFinished, test } from 'vitest';
import { startSite } from '../support/partnerSite.ts';
import { type Format, startEncodedStream } from './encodedStream.ts';
import { ENGINES, newPartner, PATIENCE } from './enginePartner.ts';

/** Longer than it takes to take one connection for a dead one, several times. */
const PLAYS_FOR_S = 12;
const FORMATS: Format[] = ['AAC', 'Opus in Ogg', 'Vorbis in Ogg', 'FLAC', 'FLAC in Ogg'];
const CASES = Object.entries(ENGINES).flatMap(([engine, launch]) =>
  FORMATS.map((format) => [engine, format, launch] as const),
);

describe.for(CASES)('In %s a stream of %s', ([, format, launch]) => {
  async function hear() {
    const stream = await startEncodedStream(format);
    const site = await startSite({ inFrontOfStream: () => stream.address });
    onTestFinished(() => site.close());
    const partner = await newPartner(launch);
    await partner.arriveAndPlay(site.url);
    return { ...partner, stream };
  }

  test('plays on over one connection', async () => {
    const { evaluate, hears, stream } = await hear();
    await expect
      .poll(() => evaluate("document.querySelector('audio').currentTime"), PATIENCE)
      .toBeGreaterThan(PLAYS_FOR_S);
    await hears();
    expect(stream.asked()).toBe(1);
  });

  test.for(['cut', 'end', 'stall'] as const)('is replaced after a loss (%s)', async (loss) => {
    const { hears, stream } = await hear();
    stream[loss]();
    await expect.poll(() => stream.asked(), PATIENCE).toBeGreaterThan(1);
    await hears();
  });
});
