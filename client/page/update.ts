import {
  afterCreated,
  afterCreatePress,
  afterFailedCreation,
  withAutomaticCreation,
  withOutcomeOver,
} from './creation.ts';
import { isSame, sameOr, shallowEqual } from './isSame.ts';
import type { Common, Dashboard, DashboardEvent, PageEvent, PageState, SignedIn } from './pageState.ts';
import { isTicked } from './pageState.ts';
import type { Moment } from './player/nextAttempt.ts';
import { nextDueAt } from './player/playerMachine.ts';
import { PLAYER_AT_REST } from './player/playerState.ts';
import type { Account, Records } from './records.ts';
import { afterSessionEvent, withAccountRead, withoutSilentEnd } from './session.ts';
import { afterLockAnswer, withLocks, withSoundRead } from './soundPlace.ts';
import { tokenDueAt, withBase, withQuestion, withTokenOnTime, withTokenRead } from './token.ts';
import { withPlayer } from './withPlayer.ts';

const DOUBLE_PRESS_MS = 400;
const NEVER = Number.POSITIVE_INFINITY;

/** Applies an event, then the rules that follow from time and state. */
export function update(before: PageState, event: PageEvent, now: Moment): PageState {
  if (isDoublePress(before, event, now)) return before;
  const state = afterEvent(withPress(before, event, now), event, now);
  const next = withoutSilentEnd(withRules(before, state, now), before, now);
  return shallowEqual(before, next) ? before : next;
}

/** When to send `timePassed` next, by the monotonic clock; `Infinity` if nothing is due. */
export function dueAt(state: PageState, now: Moment): number {
  if (state.kind === 'signedOut') return NEVER;
  const { dashboard } = state;
  const { outcome, automatic, locks, player } = dashboard;
  const due = [outcome?.endsAt ?? NEVER, automatic.dueAt ?? NEVER, locks.releaseAt ?? NEVER];
  return Math.min(...due, tokenDueAt(dashboard, now), nextDueAt(player));
}

function isDoublePress({ lastPress }: PageState, event: PageEvent, now: Moment): boolean {
  const button = buttonOf(event);
  const isFirstClick = event.type === 'createPressed' && event.isFirstClick;
  if (button === null || isFirstClick) return false;
  return button === lastPress.button && timeOf(event, now) - lastPress.at < DOUBLE_PRESS_MS;
}

function withPress(state: PageState, event: PageEvent, now: Moment): PageState {
  const button = buttonOf(event);
  return button === null ? state : { ...state, lastPress: { button, at: timeOf(event, now) } };
}

function timeOf(event: PageEvent, { monotonicMs }: Moment): number {
  const at = ('at' in event ? event.at : undefined) ?? monotonicMs;
  return Math.min(at, monotonicMs);
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
    case 'troubleChanged':
      return { ...state, trouble: event.trouble };
    case 'pageOutdated':
      return { ...state, isOutdated: true };
    case 'autoCreateTicked':
      return withTick(state, event.on);
    case 'signedIn':
    case 'signOutPressed':
    case 'signOutConfirmed':
    case 'otherTabSignedOut':
    case 'otherTabChangedAccount':
    case 'pageRestored':
    case 'sessionConfirmed':
    case 'sessionRefused':
      return afterSessionEvent(state, event, now);
    default:
      return state.kind === 'signedIn' ? inDashboard(state, event, now) : state;
  }
}

function inDashboard(state: Common & SignedIn, event: DashboardEvent, now: Moment): PageState {
  const { dashboard, account, ended, known } = state;
  const changed = (next: Dashboard, company = account.company): PageState => ({
    ...state,
    account: withCompany(account, company),
    dashboard: next,
  });
  switch (event.type) {
    case 'createPressed':
      return ended ? state : changed(afterCreatePress({ ...dashboard, cut: null }, now));
    case 'playPressed':
    case 'pausePressed':
      return changed(withPlayer({ ...dashboard, cut: null }, event, now));
    case 'tokenCreated':
      if (event.number !== dashboard.creation?.number) return state;
      if (ended) return changed(afterFailedCreation(dashboard, { code: ended }, now));
      return changed(afterCreated(dashboard, event.created, now), event.created.company);
    case 'creationFailed':
      if (event.number !== dashboard.creation?.number) return state;
      return changed(afterFailedCreation(dashboard, event.failure, now));
    case 'dashboardAnswered': {
      if (event.number !== dashboard.questionNumber) return state;
      if (event.answer === null) return changed({ ...dashboard, questionNumber: null });
      const { session, stream } = event.answer;
      const answered = withBase({ ...dashboard, questionNumber: null }, stream.baseUrl, now);
      return changed(answered, session?.id === account.id ? session.company : account.company);
    }
    case 'retryAsked': {
      const isUnknown = dashboard.streamBase === null && dashboard.questionNumber === null;
      return changed(withPlayer(isUnknown ? withQuestion(dashboard, now) : dashboard, event, now));
    }
    case 'lockAnswered':
      return changed(afterLockAnswer(dashboard, event, known, now));
    default:
      return changed(withPlayer(dashboard, event, now));
  }
}

function afterRecords(before: PageState, found: Records, now: Moment): PageState {
  const { known } = before;
  const read: PageState = {
    ...before,
    known: found,
    signingOut: sameOr(before.signingOut, found.signingOut),
    ticked: sameOr(before.ticked, found.ticked),
  };
  const state = withAccountRead(read, found, now);
  if (state.kind === 'signedOut' || before.kind === 'signedOut') return state;
  if (state.dashboard.number !== before.dashboard.number) return state;
  let { dashboard } = state;
  if (!isSame(found.soundIn, known.soundIn) && found.soundIn?.page !== state.id)
    dashboard = withSoundRead(dashboard, found.soundIn, now);
  const tokenIn = ({ token, seal, foundChecksum }: Records) => [token, seal, foundChecksum];
  const isTokenChanged = !isSame(tokenIn(found), tokenIn(known));
  if (state.ended === null && (isTokenChanged || before.ended !== null))
    dashboard = withTokenRead(dashboard, found, now);
  return { ...state, dashboard };
}

/** Whether a stream sent nothing for the first time. If our server answers meanwhile, the network is not the cause. */
function beginsToHang(before: SignedIn | null, { player, questionNumber }: Dashboard): boolean {
  const hung = before?.dashboard.player.answers.last === 'hangs';
  return player.answers.last === 'hangs' && !hung && questionNumber === null;
}

function withCompany(account: Account, company: string): Account {
  return company === account.company ? account : { ...account, company };
}

function withTick(state: PageState, on: boolean): PageState {
  if (state.kind === 'signedOut') return state;
  const others = state.ticked.filter((id) => id !== state.account.id);
  return { ...state, ticked: on ? [...others, state.account.id] : others };
}

function withRules(before: PageState, state: PageState, now: Moment): PageState {
  if (state.kind === 'signedOut') return state;
  const { id, known, ended, account } = state;
  const was =
    before.kind === 'signedIn' && before.dashboard.number === state.dashboard.number ? before : null;
  const timed = withOutcomeOver(withTokenOnTime(state.dashboard, known, now), now);
  const played = withPlayer(timed, { type: 'timePassed' }, now);
  const mayCreate = ended === null && isTicked(state, account);
  const created = withAutomaticCreation(played, mayCreate, was?.dashboard.player ?? PLAYER_AT_REST, now);
  const asked = ended === null && beginsToHang(was, created) ? withQuestion(created, now) : created;
  const dashboard = withLocks(asked, id, now);
  return { ...state, dashboard: was && shallowEqual(was.dashboard, dashboard) ? was.dashboard : dashboard };
}
