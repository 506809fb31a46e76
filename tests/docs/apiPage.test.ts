import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ApolloServerErrorCode } from '@apollo/server/errors';
import { buildSchema, isObjectType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { OPERATION_CODES, REQUEST_CODES } from '../../server/errors.ts';
import { PROJECT_ROOT } from '../../server/paths.ts';
import { SESSION_LIFETIME_MS } from '../../server/sessions/sessions.ts';
import { CREDENTIAL_MAX_LENGTH, CREDENTIAL_MIN_LENGTH } from '../../shared/credentialRules.ts';
import { TOKEN_LIFETIME_MS } from '../../shared/tokenLifetime.ts';
import { ACCOUNT, CREATE_TOKEN, startTestApp } from '../support/testApp.ts';

const read = (file: string) => readFileSync(path.join(PROJECT_ROOT, 'docs', file), 'utf8');
const page = read('api.md');
const schema = read('../schema.graphql');
const { Query, Mutation } = buildSchema(schema).getTypeMap();

type TokensPage = {
  edges: Array<{ node: unknown }>;
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
};

describe('docs/api.md', () => {
  test('tells of every code that can be answered what to do about it, and of no other', () => {
    const { PERSISTED_QUERY_NOT_FOUND, ...ofGraphql } = ApolloServerErrorCode;
    const answered = new Set([...OPERATION_CODES, ...REQUEST_CODES, ...Object.values(ofGraphql)]);
    const told = rowsUnder('When it fails').map(([code = '']) => code.replaceAll('`', ''));
    expect(told.toSorted()).toEqual([...answered].toSorted());
    expect(page).not.toContain(PERSISTED_QUERY_NOT_FOUND);
  });

  test('tells of every operation what it is for', () => {
    const told = rowsUnder('From sign-in to sign-out').map(
      ([, operation = '']) => /^`(\w+)/.exec(operation)?.[1],
    );
    const operations = [Query, Mutation].flatMap((type) =>
      isObjectType(type) ? Object.keys(type.getFields()) : [],
    );
    expect(told.filter((name) => name !== undefined).toSorted()).toEqual(operations.toSorted());
  });

  test('shows how to list all tokens, page by page', async () => {
    const query = /```graphql\n(.*?)```/s.exec(page)?.[1] ?? '';
    const app = await startTestApp();
    try {
      await app.addAccount(ACCOUNT);
      const headers = await app.bearer();
      for (let made = 0; made < 3; made += 1) await app.graphql(CREATE_TOKEN, { headers });
      const listed: unknown[] = [];
      let after: string | null = null;
      do {
        const { data } = await app.graphql(query, { headers, variables: { first: 2, after } });
        const tokens = data?.tokens as TokensPage | undefined;
        listed.push(...(tokens?.edges ?? []).map(({ node }) => node));
        after = tokens?.pageInfo.hasNextPage ? tokens.pageInfo.endCursor : null;
      } while (after !== null);
      expect(listed).toEqual(Array(3).fill(expect.objectContaining({ outcome: 'ISSUED', client: 'TOOL' })));
    } finally {
      await app.close();
    }
  });

  test('knows every code that the schema names', () => {
    const named = schema.match(/`[A-Z][A-Z_]+`/g) ?? [];
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((code) => !page.includes(`| ${code} |`))).toEqual([]);
  });

  test('shows of the examples what is in them', () => {
    const shown = [...page.matchAll(/```(bash|ts|python)\n(.*?)```/gs)];
    expect(shown.map(([, language]) => language)).toEqual(['bash', 'ts', 'python']);
    const files = { bash: 'token.sh', ts: 'token.ts', python: 'token.py' };
    for (const [, language, excerpt = ''] of shown) {
      expect(read(`examples/${files[language as keyof typeof files]}`)).toContain(excerpt);
    }
  });

  test('leads only to pages that are there', () => {
    for (const [, place = ''] of page.matchAll(/\]\(([\w/.-]+)\)/g)) expect(read(place)).not.toBe('');
  });

  test('says the limits as they are', () => {
    const limits = rowsUnder('Limits');
    expect(limits).toContainEqual(['session', `${SESSION_LIFETIME_MS / 3_600_000} hours`]);
    expect(limits).toContainEqual(['token', `opens connections for ${TOKEN_LIFETIME_MS / 60_000} minutes`]);
    expect(limits).toContainEqual([
      'username and password',
      `${CREDENTIAL_MIN_LENGTH} to ${CREDENTIAL_MAX_LENGTH} characters each`,
    ]);
  });
});

/** The table under a heading, without its own head. */
function rowsUnder(heading: string): string[][] {
  const section = page.split(/^## /m).find((part) => part.startsWith(heading)) ?? '';
  const rows = section.match(/^\| .* \|$/gm)?.slice(2) ?? [];
  return rows.map((row) => row.slice(2, -2).split(' | '));
}
