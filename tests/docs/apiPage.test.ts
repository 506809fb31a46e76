import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ApolloServerErrorCode } from '@apollo/server/errors';
import { buildSchema, type GraphQLNamedType, isEnumType } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { REQUEST_TIMEOUT_MS } from '../../server/app.ts';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { REQUEST_CODES } from '../../server/errors.ts';
import { MAX_QUERY_TOKENS, MAX_SELECTIONS } from '../../server/graphql/apolloServer.ts';
import { BODY_LIMIT_BYTES } from '../../server/http/requestRules.ts';
import { TOOL_SESSION_LIFETIME_MS } from '../../server/signIn/sessions.ts';
import { MAX_AT_ONCE, SIGN_IN_LIMITS, SIGN_IN_WINDOW_MINUTES } from '../../server/signIn/signInLimits.ts';
import { MAX_PAGE_SIZE } from '../../server/streamTokens/ledgerPages.ts';
import { KEY_LIMITS, TOKEN_LIMITS } from '../../server/streamTokens/tokenLimits.ts';
import { CREDENTIAL_MAX_LENGTH, CREDENTIAL_MIN_LENGTH } from '../../shared/credentialRules.ts';
import { OPERATION_CODES } from '../../shared/errorCodes.ts';
import { TOKEN_LIFETIME_MS } from '../../shared/tokenLifetime.ts';
import { ACCOUNT, CREATE_TOKEN, startTestApp, type TestApp } from '../support/testApp.ts';

const read = (file: string) => readFileSync(path.join(PROJECT_ROOT, 'docs', file), 'utf8');
const page = read('api.md');
const schema = read('../schema.graphql');
const { ErrorCode } = buildSchema(schema).getTypeMap();

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

type TokensPage = {
  nodes: unknown[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
};

let app: TestApp;
/** Of an account with three tokens. */
let headers: { authorization: string };

beforeAll(async () => {
  app = await startTestApp();
  await app.addAccount(ACCOUNT);
  headers = await app.bearer();
  for (let made = 0; made < 3; made += 1) await app.graphql(CREATE_TOKEN, { headers });
});
afterAll(() => app.close());

describe('docs/api.md', () => {
  test('explains exactly the codes that can be answered', () => {
    const { PERSISTED_QUERY_NOT_FOUND, ...ofGraphql } = ApolloServerErrorCode;
    const answered = new Set([...OPERATION_CODES, ...REQUEST_CODES, ...Object.values(ofGraphql)]);
    const told = rowsUnder('When it fails').map(([code = '']) => code.replaceAll('`', ''));
    expect(told.toSorted()).toEqual([...answered].toSorted());
    expect(valuesOf(ErrorCode)).toEqual([...answered].toSorted());
    expect(page).not.toContain(PERSISTED_QUERY_NOT_FOUND);
  });

  test('shows how to list all tokens, page by page', async () => {
    const query = /```graphql\n(.*?)```/s.exec(page)?.[1] ?? '';
    const listed: unknown[] = [];
    let after: string | null = null;
    do {
      const { data } = await app.graphql(query, { headers, variables: { first: 2, after } });
      const tokens = data?.tokens as TokensPage | undefined;
      listed.push(...(tokens?.nodes ?? []));
      after = tokens?.pageInfo.hasNextPage ? tokens.pageInfo.endCursor : null;
    } while (after !== null);
    expect(listed).toEqual(Array(3).fill(expect.objectContaining({ outcome: 'ISSUED', client: 'TOOL' })));
    const example = JSON.parse(/`(\{"filter": .*\})`/.exec(page)?.[1] ?? '');
    const { data, errors } = await app.graphql(query, { headers, variables: example });
    expect([errors, data?.tokens]).toMatchObject([undefined, { nodes: [] }]);
  });

  test('says the limits as they are', () => {
    const { account, network } = SIGN_IN_LIMITS;
    const bodyLimit = `${BODY_LIMIT_BYTES / 1_024} KiB`;
    const tokens = `${TOKEN_LIMITS.maxAtOnce} requests under way and`;
    expect(schema.replace(/\s+/g, ' ')).toContain(`${tokens} make ${TOKEN_LIMITS.maxPerMinute} in a minute`);
    const ofKey = `one key ${KEY_LIMITS.maxAtOnce} and ${KEY_LIMITS.maxPerMinute} of them`;
    const limits = [
      ['tokens of an account', `${tokens} ${TOKEN_LIMITS.maxPerMinute} in a minute`],
      ['tokens of an account', ofKey],
      ['username and password', `${CREDENTIAL_MIN_LENGTH} to ${CREDENTIAL_MAX_LENGTH} characters each`],
      [
        'attempts to sign in',
        `in ${SIGN_IN_WINDOW_MINUTES} minutes ${account} for a username from one network`,
      ],
      ['attempts to sign in', ` ${network} failures from one network`],
      ['attempts to sign in', `is ${SIGN_IN_WINDOW_MINUTES * 60} at most`],
      [
        'sign-ins at once',
        `${MAX_AT_ONCE.caller} from one network or in an account's known browsers, ${MAX_AT_ONCE.username} for a username`,
      ],
      ['session', `${TOOL_SESSION_LIFETIME_MS / HOUR_MS} hours`],
      ['token', `opens connections for ${TOKEN_LIFETIME_MS / MINUTE_MS} minutes`],
      ['body of a request', `${bodyLimit}, arriving within ${REQUEST_TIMEOUT_MS / 1_000} s`],
      ['query', `${MAX_QUERY_TOKENS} lexical tokens (`],
      ['query', `; ${MAX_SELECTIONS.toLocaleString('en')} fields and fragments,`],
      ['page of `tokens`', `${MAX_PAGE_SIZE}, and one page`],
    ];
    const told = new Map(rowsUnder('Limits').map(([what = '', howMuch = '']) => [what, howMuch]));
    for (const [what = '', limit = ''] of limits) expect(told.get(what)).toContain(limit);
    expect(whatOf('PAYLOAD_TOO_LARGE')).toContain(bodyLimit);
  });
});

function valuesOf(type: GraphQLNamedType | undefined): string[] {
  return isEnumType(type)
    ? type
        .getValues()
        .map(({ name }) => name)
        .toSorted()
    : [];
}

/** Returns the page's description of a code. */
function whatOf(code: string): string {
  return rowsUnder('When it fails').find(([told]) => told === `\`${code}\``)?.[1] ?? '';
}

/** Returns the rows of the table under a heading, without its header. */
function rowsUnder(heading: string): string[][] {
  const section = page.split(/^## /m).find((part) => part.startsWith(heading)) ?? '';
  const rows = section.match(/^\| .* \|$/gm)?.slice(2) ?? [];
  return rows.map((row) => row.slice(2, -2).split(' | '));
}
