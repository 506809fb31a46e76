import { MINUTE_MS, SECOND_MS } from '../../../shared/durations.ts';
import { baseOfStreamUrl } from '../../../shared/streamUrl.ts';
import { track } from '../../analytics/track.ts';
import type { Failure } from '../../api/failure.ts';
import type { CreateTokenMutation } from '../../generated/graphql.ts';
import { NO_ATTEMPT, withoutLastCreation } from '../../page/player/nextAttempt.ts';
import type { PlayerState } from '../../page/player/playerState.ts';
import { expiryOfNewToken } from '../../page/tokenState.ts';
import { afterPlayerEvent } from '../../page/unaskedToken.ts';
import type { Account, LocalRecords } from '../../session/localRecords.ts';
import type { Player } from './player.ts';
import type { Together } from './published.ts';
import { type Clock, NEVER } from './scheduler.ts';
import type { TokenStore } from './tokenStore.ts';

const FAILURE_SHOWN_FOR_MS = MINUTE_MS;
const CREATED_SHOWN_FOR_MS = 10_000;

type CreatedToken = CreateTokenMutation['createToken'];

export type CreateToken = (isUnasked: boolean) => Promise<CreatedToken | { failure: Failure }>;

export type Creation = {
  /** The creation under way was asked for by the partner, who waits for it, or by the page itself. */
  creating: 'pressed' | 'automatic' | null;
  /** How the last creation ended, while that is shown. */
  failure: (Failure & { endsAt: number }) | null;
  created: { token: string; at: number; endsAt: number } | null;
};

type TokenCreationOptions = {
  account: Account;
  records: LocalRecords;
  clock: Clock;
  ask: { createToken: CreateToken };
  player: Player;
  tokens: TokenStore;
  together: Together;
  changed(): void;
};

export type TokenCreation = ReturnType<typeof createTokenCreation>;

export function createTokenCreation(options: TokenCreationOptions) {
  const { account, records, clock, ask, player, tokens, together, changed } = options;
  let state: Creation = { creating: null, failure: null, created: null };
  /** Tokens that nobody pressed for. */
  let unasked = NO_ATTEMPT;
  let createdCount = 0;

  function change(part: Partial<Creation>): void {
    state = { ...state, ...part };
    changed();
  }

  /** The player pauses the sound (specification, section 4). */
  function press(isFirstClick = false): void {
    if (player.isClosed() || player.isDoublePress('create', isFirstClick)) return;
    // The page may be creating one already, for lost sound: then the partner waits for that one.
    const isUnderWay = state.creating !== null;
    together(() => {
      change({ creating: 'pressed', failure: null });
      player.send({ type: 'creationPressed' });
      if (!isUnderWay) void request(false);
    });
  }

  /** Creates a token for sound that only another token can bring back, if the partner allowed it. */
  function follow(playerBefore: PlayerState, isAllowed: boolean): void {
    const mayCreate = isAllowed && state.creating === null;
    const before = unasked;
    const players = { playerBefore, player: player.state() };
    unasked = afterPlayerEvent(before, mayCreate, players, tokens.given());
    if (unasked.count <= before.count) return;
    change({ creating: 'automatic' });
    void request(true);
  }

  async function request(isUnasked: boolean): Promise<void> {
    change({ created: null });
    const answer = await ask.createToken(isUnasked).catch(unknownFailure);
    if (player.isClosed()) return;
    together(() => {
      if ('failure' in answer) fail(answer.failure);
      else if (records.isSameAccount(account)) succeed(answer);
      else giveUp();
    });
  }

  function giveUp(): void {
    change({ creating: null });
    player.send({ type: 'creationFailed' });
  }

  function fail(failure: Failure): void {
    const { code, retryAfterSeconds = 0 } = failure;
    const { creating } = state;
    const now = tokens.given();
    const waitMs = retryAfterSeconds * SECOND_MS;
    unasked =
      code === 'NO_NETWORK' && creating === 'automatic'
        ? withoutLastCreation(unasked, now)
        : { ...unasked, notBefore: Math.max(unasked.notBefore, now.monotonicMs + waitMs) };
    // A failed creation by the page itself does not replace the failure of the partner's own.
    if (creating === 'pressed' || state.failure === null)
      change({ failure: { ...failure, endsAt: now.monotonicMs + FAILURE_SHOWN_FOR_MS + waitMs } });
    giveUp();
  }

  function succeed({ token, streamUrl, company, lifetimeSeconds }: CreatedToken): void {
    const wasPressed = state.creating === 'pressed';
    const at = clock.epochMs();
    createdCount += 1;
    const hasNewBase = tokens.learnBase(baseOfStreamUrl(streamUrl, token));
    tokens.create({ token, expiresAt: expiryOfNewToken(at, lifetimeSeconds) });
    records.keepAccount({ id: account.id, company });
    const endsAt = clock.monotonicMs() + CREATED_SHOWN_FOR_MS;
    change({ creating: null, failure: null, created: { token, at, endsAt } });
    player.send({ type: 'creationSucceeded', wasPressed, hasNewToken: true, hasNewBase });
    track('token_created');
  }

  function forgetFailure(): void {
    change({ failure: null });
  }

  return {
    state: () => state,
    createdCount: () => createdCount,
    press,
    follow,
    forgetFailure,
    /** When the page creates a token by itself, by the monotonic clock; null if it does not. */
    unaskedDueAt: () => unasked.dueAt,
    dueAt: () =>
      Math.min(state.failure?.endsAt ?? NEVER, state.created?.endsAt ?? NEVER, unasked.dueAt ?? NEVER),
    onTime(): void {
      const { failure, created } = state;
      const isOver = (shown: { endsAt: number }) => clock.monotonicMs() >= shown.endsAt;
      change({
        failure: failure && isOver(failure) ? null : failure,
        created: created && isOver(created) ? null : created,
      });
    },
  };
}

/** A request should answer with a failure. One that throws must not leave the overlay on the page. */
function unknownFailure(error: unknown): { failure: Failure } {
  console.warn(error);
  return { failure: { code: 'UNKNOWN' } };
}
