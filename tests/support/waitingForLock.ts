import { expect } from 'vitest';
import { query } from './query.ts';

const WAITING_FOR_LOCK = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;

export async function waitingForLock(url: string, count = 1): Promise<void> {
  await expect.poll(async () => (await query(url, WAITING_FOR_LOCK)).length).toBe(count);
}
