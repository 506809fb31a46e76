import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../../server/config/paths.ts';
import { readMp3Loop } from '../../../server/demo/mp3Frames.ts';
import { requireFfmpeg } from '../../support/testTools.ts';

const AUDIO_FILE = path.join(PROJECT_ROOT, 'server/demo/audio/senal-de-demostracion.mp3');
const FILE = readFileSync(AUDIO_FILE);
const FRAME_BYTES = 288;

describe("the demo's sound", () => {
  test('is frames of one size and of a whole number of milliseconds, and nothing else', () => {
    const loop = readMp3Loop(FILE);
    expect(loop).toMatchObject({ frameDurationMs: 24, bitRateKbit: 96 });
    expect(FILE.length).toBe(loop.frameCount * FRAME_BYTES);
  });

  test('needs no bytes of earlier frames in any frame, so that it can be joined anywhere', () => {
    const reservoirBytes = new Set<number>();
    for (let at = 0; at < FILE.length; at += FRAME_BYTES) {
      reservoirBytes.add((FILE.readUInt16BE(at + 4) >> 7) & 0x1ff);
    }
    expect([...reservoirBytes]).toEqual([0]);
  });

  test('is small enough to be kept with the code', () => {
    expect(FILE.length).toBeLessThan(600_000);
  });

  test('is loud enough to be heard and does not clip', async () => {
    const { ffmpeg } = requireFfmpeg();
    const { stderr } = await promisify(execFile)(ffmpeg, [
      ...[
        '-nostdin',
        '-hide_banner',
        '-nostats',
        '-i',
        AUDIO_FILE,
        '-af',
        'ebur128=peak=true',
        '-f',
        'null',
        '-',
      ],
    ]);
    const summary = stderr.slice(stderr.lastIndexOf('Summary:'));
    const loudnessLufs = Number(/I:\s*(-?[\d.]+) LUFS/.exec(summary)?.[1]);
    const peakDbfs = Number(/Peak:\s*(-?[\d.]+) dBFS/.exec(summary)?.[1]);
    expect(loudnessLufs).toBeGreaterThan(-20);
    expect(loudnessLufs).toBeLessThan(-14);
    expect(peakDbfs).toBeLessThan(-1);
  });
});

describe('an MP3 that cannot be looped frame by frame is refused', () => {
  const otherRate = Buffer.from(FILE);
  otherRate[FRAME_BYTES + 2] = 0x94;

  test.each([
    ['is empty', Buffer.alloc(0), 'No MP3 frame at byte 0'],
    ['has an ID3 tag', Buffer.concat([Buffer.from('ID3'), FILE]), 'No MP3 frame at byte 0'],
    ['ends within a frame', FILE.subarray(0, -1), 'The last MP3 frame is cut short'],
    [
      'has something after its frames',
      Buffer.concat([FILE, Buffer.from('TAG')]),
      `No MP3 frame at byte ${FILE.length}`,
    ],
    ['changes its rate', otherRate, `The MP3 changes its rate at byte ${FRAME_BYTES}`],
  ])('when it %s', (_what, file, message) => {
    expect(() => readMp3Loop(file)).toThrow(message);
  });
});
