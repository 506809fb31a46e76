import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../../server/config/folders.ts';
import { readMp3Loop } from '../../../server/demo/liveStream.ts';

const AUDIO_FILE = path.join(PROJECT_ROOT, 'server/demo/audio/senal-de-demostracion.mp3');
const FILE = readFileSync(AUDIO_FILE);
const FRAME_BYTES = 288;

const OTHER_RATE = Buffer.from(FILE);
OTHER_RATE[FRAME_BYTES + 2] = 0x94;

test("the demo's sound is frames of one size", () => {
  const loop = readMp3Loop(FILE);
  expect(loop).toMatchObject({ frameDurationMs: 24, bitRateKbit: 96 });
  expect(FILE.length).toBe(loop.frameCount * FRAME_BYTES);
});

test.each([
  ['has an ID3 tag', Buffer.concat([Buffer.from('ID3'), FILE]), 'No MP3 frame at byte 0'],
  ['ends within a frame', FILE.subarray(0, -1), 'The last MP3 frame is cut short'],
  ['changes its rate', OTHER_RATE, `The MP3 changes its rate at byte ${FRAME_BYTES}`],
])('an MP3 that %s is refused', (_what, file, message) => {
  expect(() => readMp3Loop(file)).toThrow(message);
});
