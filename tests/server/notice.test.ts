import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createReadNotice } from '../../server/notice.ts';
import { provideTestApp } from '../support/testApp.ts';

const NOTICE = '{ notice { text since } }';
const SINCE = new Date('2026-11-22T20:21:00Z');
const app = provideTestApp();
beforeEach(() => app.prisma.notice.deleteMany());

const set = (text: string) => app.prisma.notice.create({ data: { text, since: SINCE } });

test('a notice is told without a session', async () => {
  await set('Texto');
  expect((await app.graphql(NOTICE)).data).toEqual({ notice: { text: 'Texto', since: SINCE.toISOString() } });
});

test('a notice ends at its end, also one that was read before', async () => {
  const now = new Date();
  await app.prisma.notice.create({ data: { text: 'Texto', until: new Date(now.getTime() + 1) } });
  let passedMs = 0;
  const readNotice = createReadNotice(app.prisma, () => new Date(now.getTime() + passedMs));
  expect(await readNotice()).toMatchObject({ text: 'Texto' });
  passedMs = 1;
  expect(await readNotice()).toBeNull();
});

test('the database is asked at most every ten seconds', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const readNotice = createReadNotice(app.prisma, () => new Date());
  expect(await readNotice()).toBeNull();
  await set('Texto');
  vi.advanceTimersByTime(9_999);
  expect(await readNotice()).toBeNull();
  vi.advanceTimersByTime(1);
  expect(await readNotice()).toMatchObject({ text: 'Texto' });
});

test('a failure to read is not kept', async () => {
  const readNotice = createReadNotice(app.prisma, () => new Date());
  const findUnique = vi.spyOn(app.prisma.notice, 'findUnique').mockImplementationOnce(() => {
    throw new Error('no answer');
  });
  onTestFinished(() => findUnique.mockRestore());
  await expect(readNotice()).rejects.toThrow('no answer');
  expect(await readNotice()).toBeNull();
});
