import type { Failure } from '../../../../client/api/failure.ts';
import { type PlayerView, playerView } from '../../../../client/dashboard/player/playerView.ts';
import {
  createDashboardStore,
  type DashboardStore,
  type Surroundings,
} from '../../../../client/dashboard/store/dashboardStore.ts';
import { nextDueAt } from '../../../../client/page/player/playerMachine.ts';
import { isOnAir, type PlayerState } from '../../../../client/page/player/playerState.ts';
import { tokenState } from '../../../../client/page/tokenState.ts';
import { type Account, recordsIn, type StoredToken } from '../../../../client/session/localRecords.ts';
import { type Asked, createSession } from '../../../../client/session/session.ts';

type Answer<Data> = { data: Data } | { failure: Failure };
type Request<Data> = Promise<Answer<Data> & { session: string | null }>;
type CreatedToken = Exclude<Awaited<ReturnType<Surroundings['ask']['createToken']>>, { failure: Failure }>;
type DashboardData = NonNullable<Awaited<ReturnType<Surroundings['ask']['dashboard']>>>;

/** The server, as one page reaches it. */
type Server = {
  createToken(asked: Asked, isUnasked: boolean): Request<CreatedToken>;
  /** @param isStillAsked - whether to repeat the query after a failure that may pass */
  dashboard(asked: Asked, isStillAsked: () => boolean): Request<DashboardData>;
  login(account: Account): Promise<Account | null>;
  logout(headers: Record<string, string>): Promise<void>;
};

type PageSurroundings = Omit<Surroundings, 'ask'> & {
  server: Server;
  askStream: Surroundings['ask']['stream'];
};

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
  creating: 'pressed' | 'automatic' | null;
  creationDueAt: number | null;
  failure: { code: string; retryAfterSeconds?: number | undefined; endsAt: number } | null;
  player: PlayerState;
  playerDueAt: number;
  playedLast: boolean;
};

export type TabPage = ReturnType<typeof loadPage>;

/** Loads the page in a tab. The model knows the page by this file alone; only React is missing. */
export function loadPage({ server, askStream, ...surroundings }: PageSurroundings) {
  const { storage, clock } = surroundings;
  const session = createSession(storage);
  const records = recordsIn(storage);
  const listeners = new Set<() => void>();
  let open: { account: Account; key: string; store: DashboardStore } | null = null;
  /** Null on the login screen. */
  let drawn: Account | null = null;
  let isLoginShown = false;
  let isSigningIn = false;
  let snapshots = 0;

  session.onSignOutElsewhere(() => open?.store.end());
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
    if (open && open.account.id === account.id && !open.store.hasEnded()) open = { ...open, key };
    else {
      open?.store.end();
      open = { account, key, store: openStore(account) };
    }
  }

  function openStore(account: Account): DashboardStore {
    const store = createDashboardStore(account, {
      ...surroundings,
      ask: {
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
        stream: askStream,
      },
    });
    const followInSession = session.followDashboard(account);
    const follow = () => {
      const { sessionEnded, player } = store.state();
      followInSession({ sessionEnded, isOnAir: isOnAir(player) });
    };
    store.subscribe(() => {
      snapshots += 1;
      follow();
      for (const listener of [...listeners]) listener();
    });
    follow();
    return store;
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
    const { store } = open;
    const { player, token, earlier, streamBase, creating, failure, sessionEnded, autoCreate, playedLast } =
      store.state();
    const view = playerView(player, {
      token: tokenState(token, clock.epochMs()).kind,
      creating,
      muted: false,
      offline: false,
      serverTrouble: null,
      sessionEnded,
    });
    return {
      dashboard: store,
      account: drawn,
      view: store.hasEnded() ? null : view,
      sessionEnded,
      autoCreate,
      token,
      earlier,
      streamBase,
      creating,
      creationDueAt: store.unaskedDueAt(),
      failure,
      player,
      playerDueAt: nextDueAt(player),
      playedLast,
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
    send: (event: Parameters<DashboardStore['send']>[0]) => open?.store.send(event),
    createToken: () => open?.store.createToken(),
    setAutoCreate: (on: boolean) => open?.store.setAutoCreate(on),
    async signIn(account: Account): Promise<void> {
      if (!isLoginShown || isSigningIn) return;
      isSigningIn = true;
      const answer = await server.login(account);
      isSigningIn = false;
      if (answer) session.signIn(answer);
    },
    signOut(): void {
      if (shown() === null) return;
      open?.store.end();
      session.signOut();
    },
  };
}
