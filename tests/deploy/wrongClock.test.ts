import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openDatabase } from '../../server/database/database.ts';
import { newRecordId } from '../../server/database/recordId.ts';
import { freePort } from '../support/freePort.ts';
import { startProduction } from '../support/production.ts';
import { stopServer } from '../support/serverProcess.ts';
import { requireTool } from '../support/testTools.ts';

vi.setConfig({ testTimeout: 120_000 });

const HOUR_MS = 3_600_000;

test('an instance on a machine 401 days ahead warns about it, and deletes only rows that expired by the database’s clock', async () => {
  const production = await startProduction({ answerMs: 0 });
  onTestFinished(production.close);
  const { prisma, close } = openDatabase(production.databaseUrl);
  onTestFinished(close);
  const [accountId = ''] = production.accountIds;
  await prisma.session.create({
    data: { id: randomUUID(), accountId, expiresAt: new Date(Date.now() - HOUR_MS) },
  });
  const sessions = await prisma.session.count();
  await prisma.tokenRecord.create({
    data: { id: newRecordId(new Date()), accountId, outcome: 'PROVIDER_UNAVAILABLE', client: 'TOOL' },
  });

  const server = await production.startInstance(await freePort(), {
    env: { LD_PRELOAD: requireTool('libfaketime'), FAKETIME: '+401d', FAKETIME_DONT_FAKE_MONOTONIC: '1' },
  });
  await expect.poll(() => server.output, { timeout: 30_000 }).toContain('expired rows were deleted');
  await stopServer(server, 'SIGTERM');

  expect(server.output).toContain("the clock of this machine is 401 days ahead of the database's");
  expect(server.output).toContain('"sessions":1,"attempts":0,"tokenRecords":0');
  expect(await prisma.session.count()).toBe(sessions - 1);
  expect(await prisma.tokenRecord.count()).toBe(1);
});
