import { isSame } from './isSame.ts';
import type { Dashboard } from './pageState.ts';
import type { Moment } from './player/nextAttempt.ts';
import type { Account, Records, StoredToken } from './records.ts';
import type { TabRecords } from './tabRecords.ts';
import { sealOf } from './tokenSeal.ts';
import { shouldMarkExpired, tokenState } from './tokenState.ts';
import { withPlayer } from './withPlayer.ts';

/** Only another program leaves a record for longer whose seal differs. */
const PENDING_MS = 1_000;

export function tokenOnOpening(
  { token, seal }: Pick<Records, 'token' | 'seal'>,
  now: Moment,
): Pick<Dashboard, 'token' | 'pendingUntil'> {
  if (seal === 'differs') return { token: null, pendingUntil: now.monotonicMs + PENDING_MS };
  return { token, pendingUntil: null };
}

/** The replaced tokens that this tab had before it was loaded again. */
export function earlierOnOpening(account: Account, { earlier }: TabRecords, now: Moment): StoredToken[] {
  if (earlier?.account !== account.id) return [];
  return earlier.tokens.filter((token) => isActive(token, now));
}

/** The stream's address that this tab had before it was loaded again. */
export function baseOnOpening(account: Account, { stream }: TabRecords): string | null {
  return (stream?.account === account.id && stream.base) || null;
}

/** Takes over a token on record, or its seal, that changed. The token is believed once its seal is there too. */
export function withTokenRead(dashboard: Dashboard, found: Records, now: Moment): Dashboard {
  if (found.seal === 'fits') return withFound(dashboard, found, now);
  return pendingFor(dashboard, now);
}

function pendingFor(dashboard: Dashboard, { monotonicMs }: Moment): Dashboard {
  return { ...dashboard, pendingUntil: monotonicMs + PENDING_MS };
}

/** Believes a pending record once it has stood for long enough, and marks the token as expired once it is. */
export function withTokenOnTime(before: Dashboard, known: Records, now: Moment): Dashboard {
  const { pendingUntil } = before;
  if (pendingUntil !== null && now.monotonicMs < pendingUntil) return before;
  const dashboard = pendingUntil === null ? before : withFound(before, known, now);
  const { token } = dashboard;
  if (token === null || token.expiresAt === 0 || !shouldMarkExpired(token, now.epochMs)) return dashboard;
  return { ...dashboard, token: { ...token, expiresAt: 0 } };
}

export function withBase(dashboard: Dashboard, streamBase: string, now: Moment): Dashboard {
  if (streamBase === dashboard.streamBase) return dashboard;
  return withPlayer(
    { ...dashboard, streamBase },
    { type: 'addressChanged', hasNewToken: false, hasNewBase: true },
    now,
  );
}

/** Asks our server for the account and the stream's address, which may be a new one. */
export function withQuestion(dashboard: Dashboard, { number }: Moment): Dashboard {
  return { ...dashboard, questionNumber: number };
}

/** When the token expires or a pending record is believed, by the monotonic clock. */
export function tokenDueAt({ token, pendingUntil }: Dashboard, now: Moment): number {
  if (pendingUntil !== null) return pendingUntil;
  if (token === null || !isActive(token, now)) return Number.POSITIVE_INFINITY;
  return now.monotonicMs + token.expiresAt - now.epochMs;
}

/** The only place where the token becomes another one. The caller tells the player. */
export function withNewToken(dashboard: Dashboard, token: StoredToken, now: Moment): Dashboard {
  const { token: last, earlier, outcome } = dashboard;
  const replaced = last === null || last.token === token.token ? earlier : [last, ...earlier];
  return {
    ...dashboard,
    token,
    pendingUntil: null,
    earlier: replaced.filter((each) => each.token !== token.token && isActive(each, now)),
    outcome: outcome?.kind === 'failed' && isActive(token, now) ? null : outcome,
  };
}

function withFound(before: Dashboard, records: Records, now: Moment): Dashboard {
  const { token: found, seal } = records;
  const dashboard = { ...before, pendingUntil: null };
  const { token } = dashboard;
  // This page stores its own token again if none is on record: it still opens connections.
  if (found === null || isSame(found, token)) return dashboard;
  const isNew = found.token !== token?.token;
  if (seal !== 'fits' && token !== null && isActive(token, now) && isActive(found, now)) {
    // No token gets another expiry, and this page's token does not share its own.
    if (!isNew) return dashboard;
    if (found.expiresAt === token.expiresAt) return pendingFor(before, now);
  }
  // The record may be older than this page's token: the browser refused to store the newer one, or another tab that has
  // not heard of it yet marked the one before as expired.
  const isOutdated = isNew || (seal !== 'fits' && !isUnset(token, records));
  if (isOutdated && token !== null && isActive(token, now) && !isActive(found, now)) return dashboard;
  if (!isNew) return { ...dashboard, token: found };
  const next = withNewToken(dashboard, found, now);
  return withQuestion(
    withPlayer(next, { type: 'addressChanged', hasNewToken: true, hasNewBase: false }, now),
    now,
  );
}

/** Whether another program set the expiry to `none or expired`: a page writes its own seal with each expiry. */
function isUnset(token: StoredToken | null, { account, token: found, foundChecksum }: Records): boolean {
  if (token === null || account === null || found?.expiresAt !== 0) return false;
  return foundChecksum === sealOf(token, account.id).token;
}

function isActive(token: StoredToken, { epochMs }: Moment): boolean {
  return tokenState(token, epochMs).kind === 'active';
}
