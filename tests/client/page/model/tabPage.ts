import { stageOf, type View, viewOf } from '../../../../client/dashboard/view.ts';
import { createPage } from '../../../../client/page/createPage.ts';
import type { CreatedToken, Environment, Requests } from '../../../../client/page/environment.ts';
import type { Failure, SessionEnd } from '../../../../client/page/failure.ts';
import { isTicked, type PageEvent } from '../../../../client/page/pageState.ts';
import { nextDueAt } from '../../../../client/page/player/playerMachine.ts';
import type { PlayerState } from '../../../../client/page/player/playerState.ts';
import type { Account, SigningOut, StoredToken } from '../../../../client/page/records.ts';
import { playedLast } from '../../../../client/page/recordsToWrite.ts';
import { tokenState } from '../../../../client/page/tokenState.ts';
import { shownDashboard } from '../player/testPlayer.ts';

type Answer<Data> = { data: Data } | { failure: Failure };
type Request<Data> = Promise<Answer<Data> & { session: string | null }>;
type DashboardData = NonNullable<Awaited<ReturnType<Requests['dashboard']>>>;

/** The server, as one page reaches it. `account`: the id of the account for which the page asks. */
type Server = {
  createToken(account: string | null, isAutomatic: boolean): Request<CreatedToken>;
  /**
   * @param isStillAsked - whether to repeat the query after a failure that may pass
   * @param onTrouble - called after each of them
   */
  dashboard(
    account: string | null,
    isStillAsked: () => boolean,
    onTrouble: () => void,
  ): Request<DashboardData>;
  login(account: Account): Promise<Account | null>;
  logout(sent: SigningOut): Promise<void>;
};

type PageEnvironment = Omit<Environment, 'track'> & { server: Server };

/** The state and the picture of a tab's dashboard; null on the login screen. */
export type Shown = {
  /** Another one for each dashboard that opens in this tab. */
  dashboard: number;
  /** The account in the heading. */
  account: Account;
  view: View;
  sessionEnded: boolean;
  autoCreate: boolean;
  token: StoredToken | null;
  earlier: StoredToken[];
  streamBase: string | null;
  creating: 'partner' | 'page' | null;
  creationDueAt: number | null;
  /** The token of which the page says that it was created here. */
  made: string | null;
  failure: { code: string; retryAfterSeconds?: number | undefined; endsAt: number } | null;
  player: PlayerState;
  playerDueAt: number;
  playedLast: boolean;
};

export type TabPage = ReturnType<typeof loadPage>;

/** Loads the page in a tab. The model knows the page by this file alone; only React and Apollo Client are missing. */
export function loadPage({ server, ...environment }: PageEnvironment) {
  const page = createPage({ ...environment, track() {} });
  let isMuted = false;
  let wasSignedOut = false;
  let isSigningIn = false;
  let snapshots = 0;

  const account = () => {
    const state = page.state();
    return state.kind === 'signedIn' && state.ended === null ? state.account.id : null;
  };

  page.subscribe(() => {
    snapshots += 1;
    show();
  });
  show();
  page.connect({
    async createToken(isAutomatic) {
      const answer = await asked(server.createToken(account(), isAutomatic));
      return 'data' in answer ? answer.data : answer;
    },
    async dashboard() {
      const before = account();
      const onTrouble = () => page.send({ type: 'troubleChanged', trouble: 'serverFails' });
      const answer = await asked(server.dashboard(before, () => account() === before, onTrouble));
      return 'data' in answer ? answer.data : null;
    },
  });

  /** As the links of createApolloClient.ts do. */
  async function asked<Data>(request: Request<Data>): Promise<Answer<Data>> {
    const { sessionNumber } = page.state();
    const answer = await request;
    if ('data' in answer) page.send({ type: 'troubleChanged', trouble: null });
    if ('data' in answer) page.send({ type: 'sessionConfirmed', sessionNumber, sessionId: answer.session });
    else if (answer.failure.code === 'UNAUTHENTICATED' || answer.failure.code === 'OTHER_ACCOUNT')
      page.send({ type: 'sessionRefused', sessionNumber, code: answer.failure.code });
    return answer;
  }

  /** The login screen sends the sign-out when it opens. */
  function show(): void {
    const isSignedOut = page.state().kind === 'signedOut';
    if (isSignedOut && !wasSignedOut) sendLogout().catch(() => undefined);
    wasSignedOut = isSignedOut;
  }

  async function sendLogout(): Promise<void> {
    const { signingOut: sent } = page.state();
    if (sent === null) return;
    await server.logout(sent);
    // A sign-in cancels the request.
    if (!isSigningIn && page.state().kind === 'signedOut') page.send({ type: 'signOutConfirmed', sent });
  }

  function shown(): Shown | null {
    const state = page.state();
    if (state.kind === 'signedOut') return null;
    const { dashboard, ended } = state;
    const { player, token, earlier, streamBase, outcome } = dashboard;
    const creating = dashboard.creation && (dashboard.creation.isAutomatic ? 'page' : 'partner');
    const now = tokenState(token, environment.clock.epochMs());
    const view = viewOf(shownDashboard(state), { stage: stageOf(now), muted: isMuted, offline: false });
    return {
      dashboard: dashboard.number,
      account: state.account,
      view,
      sessionEnded: ended !== null,
      autoCreate: isTicked(state, state.account),
      token,
      earlier,
      streamBase,
      creating,
      creationDueAt: dashboard.automatic.dueAt,
      made: outcome?.kind === 'made' ? outcome.token : null,
      failure: outcome?.kind === 'failed' ? { ...outcome.failure, endsAt: outcome.endsAt } : null,
      player,
      playerDueAt: nextDueAt(player),
      playedLast: playedLast(state),
    };
  }

  return {
    shown,
    mute(): void {
      isMuted = !isMuted;
    },
    isMuted: () => isMuted,
    /** Why the last session ended, as the login screen says. */
    end(): SessionEnd | null {
      const state = page.state();
      return state.kind === 'signedOut' ? state.end : null;
    },
    /** Whether the login screen alarms. */
    hasCutSound(): boolean {
      const state = page.state();
      return state.kind === 'signedOut' && state.cutSound;
    },
    /** How often this page told components of a change. */
    snapshots: () => snapshots,
    subscribe: page.subscribe,
    send: (event: PageEvent) => page.send(event),
    createToken: () => page.send({ type: 'createPressed', isFirstClick: false }),
    setAutoCreate: (on: boolean) => page.send({ type: 'autoCreateTicked', on }),
    async signIn(wanted: Account): Promise<void> {
      if (page.state().kind !== 'signedOut' || isSigningIn) return;
      isSigningIn = true;
      try {
        const answer = await server.login(wanted);
        if (answer) page.send({ type: 'signedIn', account: answer });
      } finally {
        isSigningIn = false;
      }
    },
    signOut: () => page.send({ type: 'signOutPressed' }),
  };
}
