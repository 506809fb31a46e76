import { codedErrorOf } from '../../../server/database/databaseErrors.ts';
import { CodedError } from '../../../server/errors.ts';
import { createStreamToken } from '../../../server/streamTokens/createStreamToken.ts';
import { COMMANDS, kindOf, NO_SUCH_KEY, ORIGIN, SHOWN, TAKEN } from './commands.ts';
import { isOpen, opens, PAST, type State } from './state.ts';
import { CLIENT, type Credential, type Instance } from './twoInstances.ts';

type Answer = {
  /** Without what differs from run to run. */
  said: string;
  credentials?: Credential[];
  token?: string;
  /** Changes a state as the act does, and returns what it says in that state. */
  follow(state: State, isAlone: boolean): string;
};

type Surroundings = { instance: Instance; known: State; handedOut: readonly Credential[] };

export type Act = (surroundings: Surroundings) => Promise<Answer>;

export type Step = { acts: Act[]; order: string; lostAt: number; toString(): string };

const USERNAMES = ['radio@uno.example', 'radio@dos.example', 'radio@tres.example'];
const nameOf = (username: number) => USERNAMES[username] ?? '';
const UUID = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/;
const MAX_FAILURES = 5;
const MAX_SESSIONS = 50;

/** Makes a step whose text is the call that makes it. */
function step<Args extends (number | string | undefined)[]>(name: string, act: (...args: Args) => Act) {
  return (...args: Args): Step => ({
    acts: [act(...args)],
    order: '',
    lostAt: -1,
    toString: () => `${name}(${args.map((arg) => JSON.stringify(arg)).join(', ')})`,
  });
}

const HOUR = /T\d\d:\d\d:\d\dZ/;

/** @param follow - is given the password or key that the command printed */
function command(args: string[], follow: (state: State, secret: string, said: string) => string): Act {
  return async ({ instance }) => {
    const { exitCode, output, remarks } = await instance.runCommand(args);
    const isSecret = remarks.includes(SHOWN);
    const secret = isSecret ? output.trim().replace(`${ORIGIN}/live/`, '') : '';
    const code = exitCode === 0 ? '' : `${exitCode} `;
    // The hour of an end depends on how many steps the night has had.
    const told = `${code}${remarks}${isSecret ? '' : output}`.trim().replace(UUID, 'ID').replace(HOUR, '');
    return {
      said: told,
      credentials: args[0] === 'add-key' && isSecret ? [{ kind: kindOf(args[4] ?? ''), text: secret }] : [],
      follow(state) {
        const said = follow(state, secret, told);
        const [name, second, third] = args;
        const isChange = !/^\d |already$|^There was/.test(said);
        if (isChange) state.audit.push(name === 'notice' ? `notice ${second} null` : `${name} ${third}`);
        return said;
      },
    };
  };
}

/** Runs an account command; `option` is the name of a key, an end, or the number of the next username. */
export const account = step('account', (name: string, username: number, option: number | string = '') => {
  const { args, follow } = COMMANDS[name] as (typeof COMMANDS)[string];
  const words = typeof option === 'number' ? nameOf(option) : option;
  return command([name, '--username', nameOf(username), ...(args?.(words) ?? [])], (state, secret, said) => {
    const found = state.accounts[nameOf(username)];
    // True, too, of an account that was deleted meanwhile.
    if (!found) return said === NO_SUCH_KEY ? said : '1 error: there is no account with that username';
    return follow(found, { name: nameOf(username), option: words, secret, state });
  });
});

export const add = step('add', (username: number) =>
  command(['add', '--username', nameOf(username), '--company', 'Radio', '--generate'], (state, password) => {
    if (state.accounts[nameOf(username)]) return TAKEN;
    const blank = { disabled: false, until: null, failures: 0, sessions: [], keys: {} };
    state.accounts[nameOf(username)] = { ...blank, password };
    return `Added ${nameOf(username)} (Radio) with id ID. The password, ${SHOWN}`;
  }),
);

export const setNotice = step('setNotice', (text: string) =>
  command(['notice', 'set', text], (state) => {
    state.notice = text;
    return 'Partners see the notice within a minute';
  }),
);

export const clearNotice = step('clearNotice', () =>
  command(['notice', 'clear'], (state) => {
    if (state.notice === null) return 'There was no notice';
    state.notice = null;
    return 'The notice is gone within a minute';
  }),
);

let strangers = 0;

/** A partner signs in with the password that it was told last, or with a wrong one, maybe from a browser signed in. */
export const signIn = step(
  'signIn',
  (username: number, how: string, replaced: number): Act =>
    async ({ instance, known, handedOut }) => {
      const isKnown = known.accounts[nameOf(username)] !== undefined;
      const password = (how === 'right' && known.accounts[nameOf(username)]?.password) || 'wrong-password';
      const replacedJwt = sessionAt(handedOut, replaced);
      strangers += 1;
      const address = isKnown ? CLIENT.address : `2001:db8:${strangers.toString(16)}::1`;
      const attempt = { username: nameOf(username), password, address, deviceJwt: null, replacedJwt };
      const { said, result } = await coded('signed in', () => instance.signIn(attempt));
      const [jwt, cookie] = [result?.jwt ?? '', result?.cookie.jwt ?? ''];
      return {
        said,
        credentials: result
          ? [
              { kind: 'JWT', text: jwt },
              { kind: 'COOKIE', text: cookie },
            ]
          : [],
        follow({ accounts }, isAlone) {
          const account = accounts[nameOf(username)];
          const failures = account?.failures ?? 0;
          // Another attempt under way counts meanwhile.
          const isBusy = !isAlone && said === 'RATE_LIMITED' && failures + 1 >= MAX_FAILURES;
          if (failures >= MAX_FAILURES || isBusy) return 'RATE_LIMITED';
          if (!account || !isOpen(account) || password !== account.password) {
            if (account && isKnown) account.failures += 1;
            return 'INVALID_CREDENTIALS';
          }
          account.failures = 0;
          endSession(accounts, replacedJwt);
          account.sessions.push({ jwt, cookie, isUsed: false });
          return 'signed in';
        },
      };
    },
);

export const signOut = step(
  'signOut',
  (index: number): Act =>
    async ({ instance, handedOut }) => {
      const jwt = sessionAt(handedOut, index);
      if (jwt !== null) await instance.sessions.end(jwt, () => true);
      return {
        said: 'signed out',
        follow({ accounts }) {
          endSession(accounts, jwt);
          return 'signed out';
        },
      };
    },
);

/** Somebody sends what was handed out, whether it still opens anything or not. */
export const createToken = step(
  'createToken',
  (index: number): Act =>
    async ({ instance, handedOut }) => {
      const sent = handedOut[index % handedOut.length];
      const { said, result } = await coded('a token', () => tokenFor(instance, sent));
      return {
        said,
        ...(result && { token: result }),
        follow(state) {
          if (!sent || !opens(state, sent)) return 'UNAUTHENTICATED';
          for (const session of Object.values(state.accounts).flatMap(({ sessions }) => sessions))
            if (session.cookie === sent.text) session.isUsed = true;
          return 'a token';
        },
      };
    },
);

async function tokenFor({ sessions, keySessions, services }: Instance, sent?: Credential): Promise<string> {
  const { kind, text } = sent ?? { kind: 'JWT', text: '' };
  const session = await (kind === 'JWT' || kind === 'COOKIE'
    ? sessions.find(text)
    : keySessions.find(kind, text, CLIENT));
  if (session === null) throw new CodedError('UNAUTHENTICATED', '');
  if (kind === 'COOKIE') await sessions.recordUse(session);
  const client = kind === 'COOKIE' ? 'BROWSER' : kind === 'PLAYER' ? 'PLAYER' : 'TOOL';
  return (await createStreamToken(services, { caller: session, address: CLIENT.address, client })).token;
}

/** A tool signs in without end, which ends the sessions never used. */
export const crowd = step(
  'crowd',
  (username: number): Act =>
    async ({ instance: { prisma, sessions } }) => {
      const account = await prisma.account.findUnique({ where: { username: nameOf(username) } });
      const before = await prisma.session.findMany({ select: { id: true } });
      for (let count = 0; account && count < MAX_SESSIONS; count += 1) await sessions.start(account);
      await prisma.session.deleteMany({ where: { id: { notIn: before.map(({ id }) => id) } } });
      return {
        said: 'came',
        follow({ accounts }) {
          const account = accounts[nameOf(username)];
          if (account) account.sessions = account.sessions.filter(({ isUsed }) => isUsed);
          return 'came';
        },
      };
    },
);

/** Moves the time to the end of the account, if it has one. */
export const endComes = step(
  'endComes',
  (username: number): Act =>
    async ({ instance: { prisma } }) => {
      const where = { username: nameOf(username), validUntil: { not: null } };
      await prisma.account.updateMany({ where, data: { validUntil: PAST } });
      return {
        said: 'came',
        follow({ accounts }) {
          const account = accounts[nameOf(username)];
          if (account?.until) account.until = PAST;
          return 'came';
        },
      };
    },
);

/** Takes two steps at once; see `runInterleaved` for `order`. */
export function atOnce(one: Step, other: Step, order: string): Step {
  return {
    acts: [...one.acts, ...other.acts],
    order,
    lostAt: -1,
    toString: () => `atOnce(${one}, ${other}, '${order}')`,
  };
}

/** Takes a step that loses its connection to the database instead of a query, counted from 0. */
export function losing(lostAt: number, step: Step): Step {
  return { ...step, lostAt, toString: () => `losing(${lostAt}, ${step})` };
}

async function coded<T>(success: string, work: () => Promise<T>): Promise<{ said: string; result?: T }> {
  try {
    return { result: await work(), said: success };
  } catch (error) {
    const code = codedErrorOf(error)?.code;
    if (code === undefined) throw error;
    return { said: code };
  }
}

function sessionAt(handedOut: readonly Credential[], index: number): string | null {
  const sessions = handedOut.filter(({ kind }) => kind === 'JWT' || kind === 'COOKIE');
  return sessions[index % sessions.length]?.text ?? null;
}

function endSession(accounts: State['accounts'], jwt: string | null): void {
  for (const account of Object.values(accounts))
    account.sessions = account.sessions.filter(({ jwt: tool, cookie }) => jwt !== tool && jwt !== cookie);
}
