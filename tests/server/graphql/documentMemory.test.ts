import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { BODY_LIMIT_BYTES } from '../../../server/http/requestRules.ts';
import { provideTestApp } from '../../support/testApp.ts';

const DOCUMENTS = 400;
const PADDING = 'x'.repeat(BODY_LIMIT_BYTES - 200);

const app = provideTestApp({ databaseUrl: 'postgresql://nobody@127.0.0.1:9/none' });

async function usedBytes(): Promise<number> {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

async function send(documents: number, name: string): Promise<void> {
  for (let each = 0; each < documents; each += 1) {
    const { data } = await app.graphql(`{ __typename } #${name}${each}${PADDING}`);
    expect(data).toEqual({ __typename: 'Query' });
  }
}

test('few documents of 16 kB are kept in memory', async () => {
  await send(150, 'first');
  const before = await usedBytes();
  await send(DOCUMENTS, 'next');
  expect((await usedBytes()) - before).toBeLessThan((DOCUMENTS * BODY_LIMIT_BYTES) / 2);
});
