import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ApolloServerErrorCode } from '@apollo/server/errors';
import { assertEnumType, buildSchema } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { REQUEST_CODES } from '../../server/errors.ts';
import { OPERATION_CODES } from '../../shared/errorCodes.ts';
import { ACCOUNT, CREATE_TOKEN, startTestApp, type TestApp } from '../support/testApp.ts';

const read = (file: string) => readFileSync(path.join(PROJECT_ROOT, file), 'utf8');
const page = read('docs/api.md');
const CODES = assertEnumType(buildSchema(read('schema.graphql')).getType('ErrorCode')).getValues();

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
    const { PERSISTED_QUERY_NOT_FOUND: _repeated, ...ofGraphql } = ApolloServerErrorCode;
    const answered = [...new Set([...OPERATION_CODES, ...REQUEST_CODES, ...Object.values(ofGraphql)])];
    const told = [...page.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, code]) => code);
    expect(told.toSorted()).toEqual(answered.toSorted());
    expect(CODES.map(({ name }) => name).toSorted()).toEqual(answered.toSorted());
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
});
