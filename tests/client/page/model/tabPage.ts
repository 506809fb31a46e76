import type { Failure } from '../../../../client/api/failure.ts';
import { type PlayerView, playerView } from '../../../../client/dashboard/player/playerView.ts';
import { createPage, type Page } from '../../../../client/page/createPage.ts';
import type { PageEvent } from '../../../../client/page/pageState.ts';
import { nextDueAt } from '../../../../client/page/player/playerMachine.ts';
import { isOnAir, type PlayerState } from '../../../../client/page/player/playerState.ts';
import type { Account, StoredToken } from '../../../../client/page/records.ts';
import type { CreatedToken, Requests, Surroundings } from '../../../../client/page/surroundings.ts';
import { tokenState } from '../../../../client/page/tokenState.ts';
import { playedLast } from '../../../../client/page/wantedRecords.ts';
import { recordsIn } from '../../../../client/session/localRecords.ts';
import { type Asked, createSession } from '../../../../client/session/session.ts';

type Answer<Data> = { data: Data } | { failure: Failure };
type Request<Data> = Promise<Answer<Data> & { session: string | null }>;
type DashboardData = NonNullable<Awaited<ReturnType<Requests['dashboard']>>>;

/** The server, as one page reaches it. */
type Server = {
  createToken(asked: Asked, isUnasked: boolean): Request<CreatedToken>;
  /** @param isStillAsked - whether to repeat the query after a failure that may pass */
  dashboard(asked: Asked, isStillAsked: () => boolean): Request<DashboardData>;
  login(account: Account): Promise<Account | null>;
  logout(headers: Record<string, string>): Promise<void>;
};

type PageSurroundings = Omit<Surroundings, 'track'> & { server: Server };

/** The state and the picture of a tab's dashboard; null on the login screen. */
export type Shown = {
  /** Another one for each dashboard that opens. */
  dashboard: object;
  /** The account in the heading. */
  account: Account;
  /** Null once the dashboard takes no more events. */
  view: PlayerView | null;
  sessionEnded: boolean;
  autoCreate: boolean;
  token: StoredToken | null;
  earlier: StoredToken[];
  streamBase: string | null;
  creating: 'partner' | 'page' | null;
  creationDueAt: number | null;
  failure: { code: string; retryAfterSeconds?: number | undefined; endsAt: number } | null;
  player: PlayerState;
  playerDueAt: number;
  playedLast: boolean;
};

export type TabPage = ReturnType<typeof loadPage>;

/** Loads the page in a tab. The model knows the page by this file alone; only React is missing. */
export function loadPage({ server, ...surroundings }: PageSurroundings) {
  const { storage, clock } = surroundings;
  const session = createSession(storage);
  const records = recordsIn(storage);
  const listeners = new Set<() => void>();
  let open: { account: Account; key: string; page: Page } | null = null;
  /** Null on the login screen. */
  let drawn: Account | null = null;
  let isLoginShown = false;
  let isSigningIn = false;
  let snapshots = 0;

  session.onSignOutElsewhere(() => open?.page.send({ type: 'dashboardClosed' }));
  // React draws what changed once the event is over.
  storage.subscribe(() => queueMicrotask(show));
  session.subscribe(() => queueMicrotask(show));
  show();

  /** As App.tsx and openDashboard.ts do. */
  function show(): void {
    const { onAir, dashboardsReplaced } = session.state();
    const account = records.account() ?? onAir;
    drawn = account;
    if (account === null) {
      if (!isLoginShown) sendLogout().catch(() => undefined);
      isLoginShown = true;
      return;
    }
    const key = `${account.id} ${dashboardsReplaced}`;
    const isDrawnAnew = isLoginShown || open?.key !== key;
    if (isLoginShown) session.forgetLast();
    isLoginShown = false;
    if (!isDrawnAnew) return;
    if (open && open.account.id === account.id && !open.page.state().hasEnded) open = { ...open, key };
    else {
      open?.page.send({ type: 'dashboardClosed' });
      open = { account, key, page: openDashboard(account) };
    }
  }

  function openDashboard(account: Account): Page {
    const requests: Requests = {
      createToken: async (isUnasked) => {
        const answer = await asked((about) => server.createToken(about, isUnasked));
        return 'data' in answer ? answer.data : answer;
      },
      dashboard: async () => {
        const answer = await asked((about) =>
          server.dashboard(about, () => records.isSameAccount(about.account)),
        );
        return 'data' in answer ? answer.data : null;
      },
    };
    const page = createPage(account, requests, { ...surroundings, track() {} });
    const followInSession = session.followDashboard(account);
    const follow = () => {
      const { sessionEnded, dashboard } = page.state();
      followInSession({ sessionEnded, isOnAir: isOnAir(dashboard.player) });
    };
    page.subscribe(() => {
      snapshots += 1;
      follow();
      for (const listener of [...listeners]) listener();
    });
    follow();
    return page;
  }

  /** As the links of apolloClient.ts do. */
  async function asked<Data>(request: (about: Asked) => Request<Data>): Promise<Answer<Data>> {
    const about = session.asked();
    const answer = await request(about);
    if ('data' in answer) session.answered(about, answer.session);
    else if (answer.failure.code === 'UNAUTHENTICATED' || answer.failure.code === 'OTHER_ACCOUNT')
      session.refused(about, answer.failure.code);
    return answer;
  }

  /** As the login screen does until the server confirms it. */
  async function sendLogout(): Promise<void> {
    const { pendingLogout } = session;
    if (!pendingLogout.exists()) return;
    const { sessionNumber } = session.asked();
    const headers = pendingLogout.headers();
    await server.logout(headers);
    if (isSigningIn || session.asked().sessionNumber !== sessionNumber) return;
    pendingLogout.confirm(headers);
  }

  function shown(): Shown | null {
    if (open === null || drawn === null) return null;
    const { page } = open;
    const state = page.state();
    const { sessionEnded, hasEnded, dashboard } = state;
    const { player, token, earlier, streamBase, outcome } = dashboard;
    const creating = dashboard.creation?.by ?? null;
    const view = playerView(player, {
      token: tokenState(token, clock.epochMs()).kind,
      creating,
      muted: false,
      offline: false,
      serverTrouble: null,
      sessionEnded,
    });
    return {
      dashboard: page,
      account: drawn,
      view: hasEnded ? null : view,
      sessionEnded,
      autoCreate: state.ticked.includes(state.account.id),
      token,
      earlier,
      streamBase,
      creating,
      creationDueAt: dashboard.unasked.dueAt,
      failure: outcome?.kind === 'failed' ? { ...outcome.failure, endsAt: outcome.endsAt } : null,
      player,
      playerDueAt: nextDueAt(player),
      playedLast: playedLast(state),
    };
  }

  return {
    shown,
    /** The account on record, as this tab reads it. */
    account: records.account,
    lastEnd: () => session.last().end,
    /** How often the dashboards of this page told components of a change. */
    snapshots: () => snapshots,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    send: (event: PageEvent) => open?.page.send(event),
    createToken: () => open?.page.send({ type: 'createPressed', isFirstClick: false }),
    setAutoCreate: (on: boolean) => open?.page.send({ type: 'autoCreateTicked', on }),
    async signIn(account: Account): Promise<void> {
      if (!isLoginShown || isSigningIn) return;
      isSigningIn = true;
      const answer = await server.login(account);
      isSigningIn = false;
      if (answer) session.signIn(answer);
    },
    signOut(): void {
      if (shown() === null) return;
      open?.page.send({ type: 'dashboardClosed' });
      session.signOut();
    },
  };
}
