import { type AccountState, hasEnded, isOpen, type State } from './state.ts';

type Run = { name: string; option: string; secret: string; state: State };

type Command = {
  args?: (option: string) => string[];
  /** Changes the account as the command promises, and returns what the command says. */
  follow(account: AccountState, run: Run): string;
};

export const ORIGIN = 'https://audio.example';
export const SHOWN = 'shown only now:';
export const NO_SUCH_KEY = '1 error: the account has no key of that name: list-keys shows them';
export const TAKEN = '1 error: there is already an account with this username';

/** The effect of account commands; an exit code other than 0 stands first. */
export const COMMANDS: Record<string, Command> = {
  'set-password': {
    args: () => ['--generate'],
    follow(account, { name, secret }) {
      Object.assign(account, { password: secret, sessions: [], failures: 0 });
      const count = isOpen(account) ? Object.keys(account.keys).length : 0;
      const keys = count === 1 ? '1 key stays' : `${count} keys stay`;
      const valid = count > 0 ? `; ${keys} valid (list-keys, revoke-key)` : '';
      return `Changed the password of ${name} and ended its sessions${valid}. The password, ${SHOWN}`;
    },
  },
  disable: {
    follow(account, { name }) {
      if (account.disabled) return `${name} was disabled already`;
      Object.assign(account, { disabled: true, sessions: [], keys: {} });
      return `${name} is now disabled`;
    },
  },
  enable: {
    follow(account, { name }) {
      if (!account.disabled) return `${name} was enabled already`;
      account.disabled = false;
      return `${name} is now enabled`;
    },
  },
  'add-key': {
    args: (key) => ['--name', key, ...(kindOf(key) === 'PLAYER' ? ['--player', '--origin', ORIGIN] : [])],
    follow(account, { option: key, secret }) {
      if (account.disabled) return '1 error: the account is disabled: enable it first';
      if (hasEnded(account)) return '1 error: the account has ended: extend it first';
      if (account.keys[key])
        return '1 error: the account has a key of that name: choose another, or revoke that one first';
      account.keys[key] = { kind: kindOf(key), text: secret };
      const added = `Added ${key}, until 2027-11-23. The`;
      return kindOf(key) === 'PLAYER'
        ? `Do not send the address by chat, where it stays\n${added} address, ${SHOWN}`
        : `${added} key, ${SHOWN}`;
    },
  },
  'revoke-key': {
    args: (key) => ['--name', key],
    follow(account, { name, option: key }) {
      if (!account.keys[key]) return NO_SUCH_KEY;
      delete account.keys[key];
      return `Revoked ${key} of ${name}`;
    },
  },
  extend: {
    args: (until) => ['--until', until],
    follow(account, { name, option: until }) {
      account.until = until === 'none' ? null : '2100-01-01T00:00:00.000Z';
      return `${name} ${until === 'none' ? 'has no end' : 'works until 2099-12-31'}`;
    },
  },
  'end-sessions': {
    follow(account, { name }) {
      const count = account.sessions.length;
      account.sessions = [];
      return `Ended ${count === 1 ? '1 session' : `${count} sessions`} of ${name}`;
    },
  },
  rename: {
    args: (to) => ['--to', to],
    follow(account, { name, option: to, state }) {
      if (name === to) return `${name} has that username already`;
      if (state.accounts[to]) return TAKEN;
      state.accounts[to] = { ...account, failures: 0 };
      delete state.accounts[name];
      return `${name} is now ${to}`;
    },
  },
  unlock: {
    follow(account, { name }) {
      account.failures = 0;
      return `${name} is unlocked: earlier failed sign-ins no longer count against it`;
    },
  },
  delete: {
    args: () => ['--yes'],
    follow(_, { name, state }) {
      delete state.accounts[name];
      return `Deleted ${name}, its sessions and keys`;
    },
  },
};

export function kindOf(key: string): 'PLAYER' | 'TOOL' {
  return key === 'codec' ? 'PLAYER' : 'TOOL';
}
