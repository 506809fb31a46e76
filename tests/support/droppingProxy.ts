import { onTestFinished } from 'vitest';
import { startTcpProxy } from './tcpProxy.ts';

const KEPT = ['user', 'database'];
const HEADER_BYTES = 8;

/** Returns an address of the same database through a proxy that drops other start-up parameters, as Neon's does. */
export async function throughDroppingProxy(url: string): Promise<string> {
  const proxy = await startTcpProxy(Number(new URL(url).port), withoutParameters);
  onTestFinished(proxy.close);
  return Object.assign(new URL(url), { port: proxy.port }).href;
}

/** PostgreSQL's StartupMessage: length, version, names and values that end with 0, and a last 0. */
function withoutParameters(message: Buffer): Buffer {
  const words = message.subarray(HEADER_BYTES, -2).toString().split('\0');
  const kept = words.filter((_, index) => KEPT.includes(words[index - (index % 2)] ?? ''));
  const parameters = Buffer.from(`${kept.join('\0')}\0\0`);
  const header = Buffer.from(message.subarray(0, HEADER_BYTES));
  header.writeInt32BE(HEADER_BYTES + parameters.length);
  return Buffer.concat([header, parameters]);
}
