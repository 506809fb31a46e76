import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createReadNotice } from '../../../server/notice/notice.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/durations.ts';
import { setDatabaseClockAhead } from '../../support/databaseClock.ts';
import { openPatientDatabase } from '../../support/patientDatabase.ts';
import { provideTestApp } from '../../support/testApp.ts';
import { createTestDatabase } from '../../support/testDatabase.ts';

const NOTICE = '{ notice { text since } }';
const SINCE = new Date('2026-11-22T20:21:00Z');
const app = provideTestApp();
beforeEach(() => app.prisma.notice.deleteMany());

const set = (text: string) => app.prisma.notice.create({ data: { text, since: SINCE } });

test('a notice is told without a session', async () => {
  await set('Texto');
  expect((await app.graphql(NOTICE)).data).toEqual({ notice: { text: 'Texto', since: SINCE.toISOString() } });
});

test('a notice ends by the database’s clock', async () => {
  const { url, drop } = await createTestDatabase();
  await setDatabaseClockAhead(url, DAY_MS);
  const { prisma, close } = openPatientDatabase(url);
  onTestFinished(() => close().then(drop));
  const shownUntil = async (ms: number) => {
    await prisma.notice.deleteMany();
    await prisma.notice.create({ data: { text: 'Texto', since: SINCE, until: new Date(Date.now() + ms) } });
    return (await createReadNotice(prisma)())?.text;
  };
  expect(await shownUntil(DAY_MS - HOUR_MS)).toBeUndefined();
  expect(await shownUntil(DAY_MS + HOUR_MS)).toBe('Texto');
});

test('the database is asked at most every ten seconds', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const readNotice = createReadNotice(app.prisma);
  expect(await readNotice()).toBeNull();
  await set('Texto');
  vi.advanceTimersByTime(9_999);
  expect(await readNotice()).toBeNull();
  vi.advanceTimersByTime(1);
  expect(await readNotice()).toMatchObject({ text: 'Texto' });
});

test('a failure to read is not kept', async () => {
  const readNotice = createReadNotice(app.prisma);
  const queryRaw = vi.spyOn(app.prisma, '$queryRaw').mockRejectedValueOnce(new Error('no answer'));
  onTestFinished(() => queryRaw.mockRestore());
  await expect(readNotice()).rejects.toThrow('no answer');
  expect(await readNotice()).toBeNull();
});
