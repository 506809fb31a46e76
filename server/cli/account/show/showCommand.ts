import { type Command, InvalidArgumentError } from 'commander';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../shared/durations.ts';
import type { AccountState } from '../../../accounts/accountState.ts';
import { COMMANDS } from '../../../config/installation.ts';
import type { TokenOutcome } from '../../../generated/prisma/client.ts';
import { ipAddressOf } from '../../../http/ipAddress.ts';
import { escapeInvisible } from '../../../observing/sanitizing.ts';
import { MAX_SESSIONS } from '../../../signIn/sessions.ts';
import { SIGN_IN_LIMITS } from '../../../signIn/signInLimits.ts';
import { type AccountSelector, addAccountOptions } from '../../arguments/accountSelector.ts';
import { endTime } from '../../arguments/typedTimes.ts';
import type { CommandContext } from '../../commandContext.ts';
import { alignedTable } from '../reports/tables.ts';
import { type AccountReport, type FailedSignIns, readAccountReport } from './accountReport.ts';

const SHOW_HELP = `
One screen: whether the account is open, its sessions, keys, failed sign-ins and
last tokens. A browser's use is noted once an hour, a tool's not at all; a
browser's session ends 14 days after its last use. --from adds what counts
against the network from which the partner signs in: ask for the address, or
take it from the log. Failed sign-ins are found by the server's JWT_SECRET.

Examples:
  ${COMMANDS.account} show --username radio@uno.example
  ${COMMANDS.account} show --username radio@uno.example --from 203.0.113.7`;

type ShowOptions = AccountSelector & { from?: string; json?: true };

const COLUMNS = 80;
const MOST_SESSIONS = 4;
const MOST_KEYS = 4;
const MOST_TOKENS = 4;
const NAME_WIDTH = 24;
const BY_WIDTH = 10;

const FAILURES: Record<Exclude<TokenOutcome, 'ISSUED'>, string> = {
  PROVIDER_UNAVAILABLE: 'NONE: provider down or refusing',
  PROVIDER_BAD_ANSWER: 'NONE: no link on provider page',
};

const UNLOCK = `Not known: single browsers (${SIGN_IN_LIMITS.knownBrowser} each), and networks other than that of --from.
unlock frees the account in all of them; "any username" ends by itself.`;
const NO_SECRET = `not known, because JWT_SECRET is not set here: run it as the server is run`;

type Session = AccountReport['sessions'][number];
type Key = AccountReport['keys'][number];
type Token = AccountReport['tokens'][number];

export function addShowCommand(root: Command, { runtime, say, withAccount }: CommandContext): void {
  addAccountOptions(root.command('show'))
    .description('show the state of one account, for a partner who calls')
    .option('--from <address>', 'also what counts against the network of this IP address', address)
    .option('--json', 'as a JSON object with all sessions and more tokens, for programs')
    .addHelpText('after', SHOW_HELP)
    .action(({ from, json, ...selector }: ShowOptions) =>
      withAccount(selector, async ({ prisma }, account) => {
        const surroundings = { now: runtime.clock(), address: from ?? null, jwtSecret: runtime.jwtSecret() };
        const report = await readAccountReport(prisma, account, surroundings);
        await say(`${json ? JSON.stringify(report, null, 2) : accountScreen(report)}\n`);
      }),
    );
}

function address(text: string): string {
  const found = ipAddressOf(text);
  if (found !== null) return found;
  throw new InvalidArgumentError(
    text.includes('/')
      ? 'It must be one IP address, such as 203.0.113.7, not a network.'
      : 'It must be an IP address, such as 203.0.113.7 or 2001:db8::7.',
  );
}

function accountScreen(report: AccountReport): string {
  const { now, username, company, id, sessions, keys, failedSignIns, tokens } = report;
  const open = sessions.filter(({ expiresAt }) => expiresAt > now);
  const parts = [
    [
      `${username}  (${company})`,
      stateText(report),
      `now           ${minuteOf(now)} (in UTC, as all times here)`,
      `last sign-in  ${agoText(report.lastSignInAt, now)}`,
      `last token    ${agoText(report.lastTokenAt, now)}`,
      `added         ${minuteOf(report.createdAt)}, id ${id}`,
    ]
      .map((line) => cut(line, COLUMNS))
      .join('\n'),
    section(
      `SESSIONS: ${open.length}${sessions.length >= MAX_SESSIONS ? `, the limit of ${MAX_SESSIONS} is reached` : ''}`,
      {
        // A partner who calls uses a browser; a tool may sign in very often.
        rows: open.toSorted((one, other) => Number(other.cookieSent) - Number(one.cookieSent)),
        most: MOST_SESSIONS,
        more: 'older ones',
        columns: {
          'SIGNED IN': ({ createdAt }: Session) => minuteOf(createdAt),
          BY: ({ cookieSent }) => (cookieSent ? 'browser (cookie)' : 'tool, or page not used'),
          'LAST USE': ({ lastUsedAt, cookieSent }) =>
            lastUsedAt ? minuteOf(lastUsedAt) : cookieSent ? 'none' : 'not noted',
          ENDS: ({ expiresAt }) => minuteOf(expiresAt),
        },
      },
    ),
    section(`KEYS: ${keys.length}`, {
      rows: [...keys].sort((one, other) => Number(other.isValid) - Number(one.isValid)),
      most: MOST_KEYS,
      more: 'others: see list-keys',
      columns: {
        NAME: ({ name }: Key) => cut(name, NAME_WIDTH),
        KIND: ({ kind }) => kind.toLowerCase(),
        'LAST USE': ({ lastUsedAt }) => (lastUsedAt ? minuteOf(lastUsedAt) : 'never'),
        ENDS: ({ isValid, expiresAt }) => (isValid ? minuteOf(expiresAt) : 'REFUSED'),
        FROM: ({ networks }) => fromText(networks),
      },
    }),
    failedSignIns === null
      ? `FAILED SIGN-INS: ${NO_SECRET}`
      : `${section('FAILED SIGN-INS', {
          rows: failedSignIns,
          most: failedSignIns.length,
          more: '',
          columns: {
            COUNTED: subjectText,
            FAILED: ({ failures, limit }) => `${failures} of ${limit}`,
            RESULT: (counted) => resultText(counted),
          },
        })}\n${UNLOCK}`,
    section('TOKENS', {
      rows: tokens,
      most: MOST_TOKENS,
      more: 'or more earlier ones: see tokens',
      columns: {
        TIME: ({ createdAt }: Token) => minuteOf(createdAt),
        TOKEN: (token) => outcomeText(token, now),
        BY: ({ client, keyName }) => cut(keyName ?? client.toLowerCase(), BY_WIDTH),
        ADDRESS: ({ address }) => address ?? 'unknown',
      },
    }),
  ];
  return parts.join('\n\n');
}

function section<Row>(
  heading: string,
  {
    rows,
    most,
    more,
    columns,
  }: { rows: Row[]; most: number; more: string; columns: Record<string, (row: Row) => string> },
): string {
  if (rows.length === 0) return `${heading.replace(/: 0$/, '')}: none`;
  const table = alignedTable(rows.slice(0, most), '', columns).split('\n');
  const rest = rows.length - most;
  return [
    heading,
    ...table.map((line) => cut(line, COLUMNS)),
    ...(rest > 0 ? [`… ${rest} ${more}`] : []),
  ].join('\n');
}

function stateText({ state, validUntil }: Pick<AccountReport, 'state' | 'validUntil'>): string {
  const end = validUntil && endTime(validUntil);
  const texts: Record<AccountState, string> = {
    OPEN: end ? `OPEN until ${end}` : 'OPEN, without an end',
    DISABLED: 'DISABLED (enable opens it)',
    ENDED: `ENDED ${end} (extend opens it)`,
  };
  return texts[state];
}

function subjectText({ of, network }: FailedSignIns): string {
  if (of === 'KNOWN_BROWSERS') return 'browsers in which it signed in before';
  return of === 'NETWORK' ? `any username from ${network}` : `this username from ${network}`;
}

function resultText({ of, failures, limit, until }: FailedSignIns): string {
  if (until === null) return 'free';
  const mayRefuseSome = of === 'KNOWN_BROWSERS' && failures >= SIGN_IN_LIMITS.knownBrowser;
  const result = failures >= limit ? 'REFUSED' : mayRefuseSome ? 'some REFUSED' : 'counted';
  return `${result} until ${secondOf(until).slice('2026-11-27 '.length)}`;
}

function outcomeText({ outcome, expiresAt }: Token, now: Date): string {
  if (outcome !== 'ISSUED') return FAILURES[outcome];
  return expiresAt !== null && expiresAt > now ? `given, opens until ${timeOf(expiresAt)}` : 'given';
}

function fromText(networks: string[]): string {
  if (networks.length === 0) return 'anywhere';
  return networks.length === 1 ? '1 network' : `${networks.length} networks`;
}

function agoText(at: Date | null, now: Date): string {
  return at === null ? 'never' : `${minuteOf(at)}, ${ageText(now.getTime() - at.getTime())} ago`;
}

function ageText(ms: number): string {
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  return ms < 2 * DAY_MS ? `${Math.floor(ms / HOUR_MS)} h` : `${Math.floor(ms / DAY_MS)} days`;
}

function secondOf(at: Date): string {
  return at.toISOString().slice(0, 19).replace('T', ' ');
}

function minuteOf(at: Date): string {
  return secondOf(at).slice(0, -3);
}

function timeOf(at: Date): string {
  return minuteOf(at).slice(-5);
}

function cut(text: string, width: number): string {
  const shown = escapeInvisible(text);
  return shown.length <= width ? shown : `${shown.slice(0, width - 1)}…`;
}
