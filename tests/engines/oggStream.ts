import { spawn } from 'node:child_process';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { requireFfmpeg } from '../support/testTools.ts';

const ENCODER = ['-re', '-f', 'lavfi', '-i', 'sine=frequency=440', '-ac', '1', '-c:a', 'libopus'];

/** Starts an endless stream in Ogg, which tells no bit rate and no length. */
export async function startOggStream() {
  const open = new Map<ServerResponse, () => void>();
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    response.writeHead(200, { 'Content-Type': 'audio/ogg', 'Access-Control-Allow-Origin': '*' });
    const encoder = spawn(requireFfmpeg().ffmpeg, ['-v', 'fatal', ...ENCODER, '-f', 'ogg', '-'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    encoder.stdout.pipe(response, { end: false });
    open.set(response, () => encoder.stdout.unpipe(response));
    response.on('close', () => {
      open.delete(response);
      encoder.kill('SIGKILL');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/live.ogg?wmsAuthSign=`,
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
