import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../../server/config/folders.ts';
import { readMp3Loop } from '../../../server/demo/mp3Frames.ts';

const AUDIO_FILE = path.join(PROJECT_ROOT, 'server/demo/audio/senal-de-demostracion.mp3');
const FILE = readFileSync(AUDIO_FILE);
const FRAME_BYTES = 288;

describe("the demo's sound", () => {
  test('is frames of one size', () => {
    const loop = readMp3Loop(FILE);
    expect(loop).toMatchObject({ frameDurationMs: 24, bitRateKbit: 96 });
    expect(FILE.length).toBe(loop.frameCount * FRAME_BYTES);
  });
});

describe('an MP3 that cannot be looped frame by frame is refused', () => {
  const otherRate = Buffer.from(FILE);
  otherRate[FRAME_BYTES + 2] = 0x94;

  test.each([
    ['has an ID3 tag', Buffer.concat([Buffer.from('ID3'), FILE]), 'No MP3 frame at byte 0'],
    ['ends within a frame', FILE.subarray(0, -1), 'The last MP3 frame is cut short'],
    ['changes its rate', otherRate, `The MP3 changes its rate at byte ${FRAME_BYTES}`],
  ])('when it %s', (_what, file, message) => {
    expect(() => readMp3Loop(file)).toThrow(message);
  });
});
