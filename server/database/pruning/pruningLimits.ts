import { DAY_MS } from '../../../shared/durations.ts';
import type { PrismaClient } from '../../generated/prisma/client.ts';

/** Rows that expired, and rows that were recorded, before these times are deleted. */
export type PruningLimits = { expiredBefore: Date; recordedBefore: Date };

const ROW = { id: 1 };

/**
 * Moves the limits that the database keeps towards `wanted`, by a day at most, so that a clock which jumps ahead
 * deletes little. The first call sets them.
 * @returns what may be deleted now: the kept limits, or `wanted` where that is less
 */
export async function movePruningLimits(prisma: PrismaClient, wanted: PruningLimits): Promise<PruningLimits> {
  const kept = (await prisma.pruningLimits.findUnique({ where: ROW })) ?? wanted;
  const moved = {
    expiredBefore: movedByADay(kept.expiredBefore, wanted.expiredBefore),
    recordedBefore: movedByADay(kept.recordedBefore, wanted.recordedBefore),
  };
  await prisma.pruningLimits.upsert({ where: ROW, create: { ...ROW, ...moved }, update: moved });
  return {
    expiredBefore: earlier(moved.expiredBefore, wanted.expiredBefore),
    recordedBefore: earlier(moved.recordedBefore, wanted.recordedBefore),
  };
}

/** Moves back by a day at most too: a machine that starts in the past for a moment must not stop pruning for months. */
function movedByADay(from: Date, to: Date): Date {
  const byMs = to.getTime() - from.getTime();
  return new Date(from.getTime() + Math.max(-DAY_MS, Math.min(DAY_MS, byMs)));
}

function earlier(one: Date, other: Date): Date {
  return one < other ? one : other;
}
