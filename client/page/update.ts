import {
  afterCreated,
  afterCreatePress,
  afterFailedCreation,
  withOutcomeOver,
  withUnasked,
} from './creation.ts';
import { hasSameParts } from './hasSameParts.ts';
import { isSame, sameOr } from './isSame.ts';
import type { Dashboard, PageEvent, PageState } from './pageState.ts';
import type { Moment } from './player/nextAttempt.ts';
import { nextDueAt } from './player/playerMachine.ts';
import { isOnAir } from './player/playerState.ts';
import type { Account, Records } from './records.ts';
import { afterLockAnswer, afterOlderPage, withLocks, withSoundRead } from './soundPlace.ts';
import { tokenDueAt, withBase, withQuestion, withTokenOnTime, withTokenRead } from './token.ts';
import { withPlayer } from './withPlayer.ts';

const DOUBLE_PRESS_MS = 400;
const NEVER = Number.POSITIVE_INFINITY;

/** Every change of the page goes through here: first the event, then the rules that follow from time and state. */
export function update(before: PageState, event: PageEvent, now: Moment): PageState {
  if (before.hasEnded || isDoublePress(before, event, now)) return before;
  const state = withRules(before, afterEvent(withPress(before, event, now), event, now), now);
  const dashboard = hasSameParts(before.dashboard, state.dashboard) ? before.dashboard : state.dashboard;
  const next = { ...state, dashboard };
  return hasSameParts(before, next) ? before : next;
}

/** When to send `timePassed` next, by the monotonic clock; `Infinity` if nothing is due. */
export function dueAt({ hasEnded, dashboard }: PageState, now: Moment): number {
  if (hasEnded) return NEVER;
  const { outcome, unasked, locks, player } = dashboard;
  const due = [outcome?.endsAt ?? NEVER, unasked.dueAt ?? NEVER, locks.releaseAt ?? NEVER];
  return Math.min(...due, tokenDueAt(dashboard, now), nextDueAt(player));
}

function isDoublePress({ lastPress }: PageState, event: PageEvent, { monotonicMs }: Moment): boolean {
  const button = buttonOf(event);
  const isFirstClick = event.type === 'createPressed' && event.isFirstClick;
  if (button === null || isFirstClick) return false;
  return button === lastPress.button && monotonicMs - lastPress.at < DOUBLE_PRESS_MS;
}

function withPress(state: PageState, event: PageEvent, { monotonicMs }: Moment): PageState {
  const button = buttonOf(event);
  return button === null ? state : { ...state, lastPress: { button, at: monotonicMs } };
}

function buttonOf({ type }: PageEvent): 'play' | 'create' | null {
  if (type === 'createPressed') return 'create';
  return type === 'playPressed' || type === 'pausePressed' ? 'play' : null;
}

function afterEvent(state: PageState, event: PageEvent, now: Moment): PageState {
  switch (event.type) {
    case 'timePassed':
      return state;
    case 'recordsRead':
      return afterRecords(state, event.records, now);
    case 'dashboardClosed':
      return closed(state, now);
    case 'autoCreateTicked':
      return withTick(state, event.on);
    case 'tokenCreated': {
      const { dashboard, account, sessionEnded } = state;
      if (event.number !== dashboard.creation?.number) return state;
      if (sessionEnded)
        return { ...state, dashboard: afterFailedCreation(dashboard, { code: 'UNAUTHENTICATED' }, now) };
      return {
        ...state,
        account: withCompany(account, event.created.company),
        dashboard: afterCreated(dashboard, event.created, now),
      };
    }
    case 'dashboardAnswered': {
      const { dashboard, account } = state;
      const { session, stream } = event.answer;
      if (event.number !== dashboard.question) return state;
      return {
        ...state,
        account: session?.id === account.id ? withCompany(account, session.company) : account,
        dashboard: withBase({ ...dashboard, question: null }, stream.baseUrl, now),
      };
    }
    default:
      return { ...state, dashboard: afterDashboardEvent(state, event, now) };
  }
}

type DashboardEvent = Exclude<
  PageEvent,
  {
    type:
      | 'timePassed'
      | 'recordsRead'
      | 'dashboardClosed'
      | 'autoCreateTicked'
      | 'tokenCreated'
      | 'dashboardAnswered';
  }
>;

function afterDashboardEvent(
  { dashboard, known, sessionEnded }: PageState,
  event: DashboardEvent,
  now: Moment,
): Dashboard {
  switch (event.type) {
    case 'createPressed':
      return sessionEnded ? dashboard : afterCreatePress(dashboard, now);
    case 'creationFailed':
      return event.number === dashboard.creation?.number
        ? afterFailedCreation(dashboard, event.failure, now)
        : dashboard;
    case 'lockAnswered':
      return afterLockAnswer(dashboard, event, known, now);
    case 'olderPageChanged':
      return afterOlderPage(dashboard, event.isWanted, now);
    default:
      return withPlayer(dashboard, event, now);
  }
}

/** Other tabs' changes hold for this one too. */
function afterRecords(before: PageState, found: Records, now: Moment): PageState {
  const { known, account } = before;
  const state = { ...before, known: found, ticked: sameOr(before.ticked, found.ticked) };
  if (found.account !== null && found.account.id !== account.id) return closed(state, now);
  const sessionEnded = found.account === null;
  let { dashboard } = state;
  if (!isSame(found.soundIn, known.soundIn) && found.soundIn?.page !== state.id)
    dashboard = withSoundRead(dashboard, found.soundIn, now);
  if (sessionEnded) return { ...state, sessionEnded, dashboard: { ...dashboard, believedAt: null } };
  if (before.sessionEnded) dashboard = withSessionBack(dashboard);
  const isTokenChanged = !isSame([found.token, found.seal], [known.token, known.seal]);
  if (isTokenChanged || before.sessionEnded) dashboard = withTokenRead(dashboard, found, now);
  return { ...state, sessionEnded, account: sameOr(account, found.account ?? account), dashboard };
}

/** A creation that failed without a session can be tried again, and the address may be a new one. */
function withSessionBack(dashboard: Dashboard): Dashboard {
  const { outcome } = dashboard;
  return withQuestion({ ...dashboard, outcome: outcome?.kind === 'failed' ? null : outcome });
}

function withCompany(account: Account, company: string): Account {
  return company === account.company ? account : { ...account, company };
}

function withTick(state: PageState, on: boolean): PageState {
  const others = state.ticked.filter((id) => id !== state.account.id);
  return { ...state, ticked: on ? [...others, state.account.id] : others };
}

function withRules(before: PageState, state: PageState, now: Moment): PageState {
  if (state.hasEnded) return state;
  const { id, known, sessionEnded, account, ticked } = state;
  const timed = withTokenOnTime(state.dashboard, known, now);
  const played = withPlayer(withOutcomeOver(timed, now), { type: 'timePassed' }, now);
  const mayCreate = !sessionEnded && ticked.includes(account.id);
  const created = withUnasked(played, mayCreate, before.dashboard.player, now);
  const next = { ...state, dashboard: withLocks(created, id, now) };
  return sessionEnded && !isOnAir(next.dashboard.player) ? closed(next, now) : next;
}

function closed(state: PageState, now: Moment): PageState {
  return { ...state, hasEnded: true, dashboard: withPlayer(state.dashboard, { type: 'stopped' }, now) };
}
