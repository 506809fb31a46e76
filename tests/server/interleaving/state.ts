import type { Credential } from './twoInstances.ts';

export type AccountState = {
  disabled: boolean;
  /** An ISO instant; null for none. */
  until: string | null;
  password: string;
  /** Failed sign-ins from the studio since the last success, `unlock` or `set-password`. */
  failures: number;
  sessions: { jwt: string; cookie: string; isUsed: boolean }[];
  keys: Record<string, Credential>;
};

/** The state that follows from the answers to operators, partners and tools. */
export type State = {
  accounts: Record<string, AccountState>;
  notice: string | null;
  audit: string[];
};

export const PAST = '2020-01-01T00:00:00.000Z';

export function hasEnded({ until }: AccountState): boolean {
  return until === PAST;
}

export function isOpen(account: AccountState): boolean {
  return !account.disabled && !hasEnded(account);
}

export function opens({ accounts }: State, { text }: Credential): boolean {
  return Object.values(accounts).some(
    (account) =>
      isOpen(account) &&
      (account.sessions.some(({ jwt, cookie }) => text === jwt || text === cookie) ||
        Object.values(account.keys).some((key) => key.text === text)),
  );
}

export function visible(state: State, handedOut: readonly Credential[]) {
  const accounts = Object.entries(state.accounts).map(([username, { disabled, until, password, keys }]) => [
    username,
    { disabled, until, password, keyNames: Object.keys(keys).sort() },
  ]);
  return {
    accounts: Object.fromEntries(accounts),
    notice: state.notice,
    audit: [...state.audit].sort(),
    open: handedOut.map((credential) => `${credential.kind} ${opens(state, credential)}`),
    isRecorded: true,
  };
}
