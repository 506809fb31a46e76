import { MINUTE_MS, SECOND_MS } from '../../../shared/durations.ts';
import { baseOfStreamUrl } from '../../../shared/streamUrl.ts';
import { track } from '../../analytics/track.ts';
import type { Failure } from '../../api/failure.ts';
import type { CreateTokenMutation } from '../../generated/graphql.ts';
import type { Account, LocalRecords } from '../../session/localRecords.ts';
import { expiryOfNewToken } from '../machine/tokenState.ts';
import type { Player } from './player.ts';
import type { Together } from './published.ts';
import { type Clock, NEVER } from './scheduler.ts';
import type { TokenStore } from './tokenStore.ts';

const FAILURE_SHOWN_FOR_MS = MINUTE_MS;
const CREATED_SHOWN_FOR_MS = 10_000;

type CreatedToken = CreateTokenMutation['createToken'];

export type CreateToken = (isUnasked: boolean) => Promise<CreatedToken | { failure: Failure }>;

/** How the last creation ended, while that is shown. */
export type CreationOutcome = {
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

/** A request should answer with a failure. One that throws must not leave the overlay on the page. */
function unknownFailure(error: unknown): { failure: Failure } {
  console.warn(error);
  return { failure: { code: 'UNKNOWN' } };
}

export type TokenCreation = ReturnType<typeof createTokenCreation>;

export function createTokenCreation(options: TokenCreationOptions) {
  const { account, records, clock, ask, player, tokens, together, changed } = options;
  let state: CreationOutcome = { failure: null, created: null };
  let createdCount = 0;

  function change(part: Partial<CreationOutcome>): void {
    state = { ...state, ...part };
    changed();
  }

  /** The player pauses the sound (specification, section 4). */
  function press(isFirstClick = false): void {
    if (player.isClosed() || player.isDoublePress('create', isFirstClick)) return;
    // The player may be creating one already, for lost sound: then the partner waits for that one.
    const isUnderWay = player.state().creating !== null;
    together(() => {
      change({ failure: null });
      player.send({ type: 'creationPressed' });
      if (!isUnderWay) void request(false);
    });
  }

  async function request(isUnasked: boolean): Promise<void> {
    change({ created: null });
    const answer = await ask.createToken(isUnasked).catch(unknownFailure);
    if (player.isClosed()) return;
    together(() => {
      if ('failure' in answer) fail(answer.failure);
      else if (!records.isSameAccount(account)) player.send({ type: 'creationFailed', retryAfterSeconds: 0 });
      else succeed(answer);
    });
  }

  function fail(failure: Failure): void {
    const { code, retryAfterSeconds = 0 } = failure;
    const wasPressed = player.state().creating === 'pressed';
    const endsAt = clock.monotonicMs() + FAILURE_SHOWN_FOR_MS + retryAfterSeconds * SECOND_MS;
    // A failed creation by the page itself does not replace the failure of the partner's own.
    if (wasPressed || state.failure === null) change({ failure: { ...failure, endsAt } });
    player.send({ type: 'creationFailed', retryAfterSeconds, wasOffline: code === 'NO_NETWORK' });
  }

  function succeed({ token, streamUrl, company, lifetimeSeconds }: CreatedToken): void {
    const at = clock.epochMs();
    const made = { token, expiresAt: expiryOfNewToken(at, lifetimeSeconds) };
    createdCount += 1;
    const streamBase = baseOfStreamUrl(streamUrl, token);
    if (streamBase !== null) player.send({ type: 'streamBaseLearned', streamBase });
    player.send({ type: 'creationSucceeded', token: made });
    records.keepAccount({ id: account.id, company });
    tokens.keep(made);
    const endsAt = clock.monotonicMs() + CREATED_SHOWN_FOR_MS;
    change({ failure: null, created: { token, at, endsAt } });
    track('token_created');
  }

  function forgetFailure(): void {
    change({ failure: null });
  }

  return {
    state: () => state,
    createdCount: () => createdCount,
    press,
    request,
    forgetFailure,
    dueAt: () => Math.min(state.failure?.endsAt ?? NEVER, state.created?.endsAt ?? NEVER),
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
