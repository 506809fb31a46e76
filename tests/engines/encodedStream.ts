import { spawn } from 'node:child_process';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { requireFfmpeg } from '../support/testTools.ts';

/** Noise, since a tone needs few bytes, and browsers start once they have enough of them. */
const NOISE = ['-re', '-f', 'lavfi', '-i', 'anoisesrc=color=pink:amplitude=0.5', '-ac', '1'];

/** Media type, codec and container, by ffmpeg's names. */
const FORMATS = {
  AAC: ['audio/aac', 'aac', 'adts'],
  'Opus in Ogg': ['audio/ogg', 'libopus', 'ogg'],
  'Vorbis in Ogg': ['application/ogg', 'libvorbis', 'ogg'],
  FLAC: ['audio/flac', 'flac', 'flac'],
  'FLAC in Ogg': ['audio/ogg', 'flac', 'ogg'],
} as const;

export type Format = keyof typeof FORMATS;

/** Starts an endless stream that tells no length. */
export async function startEncodedStream(format: Format) {
  const [mediaType, codec, container] = FORMATS[format];
  const encoder = [...NOISE, '-c:a', codec, '-f', container, '-flush_packets', '1'];
  const open = new Map<ServerResponse, () => void>();
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    response.writeHead(200, { 'Content-Type': mediaType, 'Access-Control-Allow-Origin': '*' });
    const ffmpeg = spawn(requireFfmpeg().ffmpeg, ['-v', 'fatal', ...encoder, '-'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    ffmpeg.stdout.pipe(response, { end: false });
    open.set(response, () => ffmpeg.stdout.unpipe(response));
    response.on('close', () => {
      open.delete(response);
      ffmpeg.kill('SIGKILL');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/live?wmsAuthSign=`,
    asked: () => asked,
    cut() {
      for (const response of open.keys()) response.destroy();
    },
    end() {
      for (const response of open.keys()) response.end();
    },
    stall() {
      for (const unpipe of open.values()) unpipe();
    },
  };
}
