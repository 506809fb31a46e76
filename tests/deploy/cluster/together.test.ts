import { afterAll, beforeAll, expect, test } from 'vitest';
import { ACCOUNT, CREATE_TOKEN, LOGIN, LOGOUT, SESSION } from '../../support/testApp.ts';
import { type Cluster, type Instance, startCluster } from './cluster.ts';

type Answer = {
  data: Record<string, Record<string, unknown> | boolean | null> | null;
  errors?: Array<{ extensions: { code: string } }>;
};

let cluster: Cluster;
let first: Instance;
let second: Instance;

beforeAll(async () => {
  cluster = await startCluster({ answerMs: 0 });
  [first, second] = cluster.instances;
}, 180_000);
afterAll(() => cluster?.close());

async function ask(
  whom: Instance | 'nginx',
  query: string,
  { variables, jwt }: { variables?: Record<string, unknown>; jwt?: string } = {},
): Promise<Answer> {
  const url = whom === 'nginx' ? cluster.nginx.url : `http://127.0.0.1:${whom.port}`;
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(jwt !== undefined && { authorization: `Bearer ${jwt}` }),
    },
    body: JSON.stringify({ query, variables }),
  });
  return (await response.json()) as Answer;
}

async function signIn(whom: Instance): Promise<string> {
  const { data } = await ask(whom, LOGIN, { variables: ACCOUNT });
  return String(Object(data?.login).jwt);
}

function outcome({ data, errors }: Answer): string {
  return data?.login ? 'signed in' : (errors?.[0]?.extensions.code ?? 'nothing');
}

test('whoever signs in on one instance is signed in on the other, and can create tokens there', async () => {
  const jwt = await signIn(first);
  expect((await ask(second, SESSION, { jwt })).data?.session).toMatchObject({ company: ACCOUNT.company });
  expect((await ask(second, CREATE_TOKEN, { jwt })).data?.createToken).toMatchObject({
    company: ACCOUNT.company,
  });
});

test('whoever signs out on one instance is signed out on both', async () => {
  const jwt = await signIn(first);
  expect((await ask(second, LOGOUT, { jwt })).data).toEqual({ logout: true });
  for (const instance of [first, second]) {
    expect((await ask(instance, SESSION, { jwt })).data).toEqual({ session: null });
    expect((await ask(instance, CREATE_TOKEN, { jwt })).errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
  }
});

test('both instances list the tokens that an account created on either, newest first', async () => {
  const jwt = await signIn(first);
  await ask(first, CREATE_TOKEN, { jwt });
  await ask(second, CREATE_TOKEN, { jwt });
  const query = '{ tokens(first: 2) { edges { node { id outcome expiry createdAt } } } }';
  const [listed, listedBySecond] = [await ask(first, query, { jwt }), await ask(second, query, { jwt })];
  expect(listed).toEqual(listedBySecond);
  const nodes = Object(listed.data?.tokens).edges.map(({ node }: { node: object }) => node);
  const issued = { outcome: 'ISSUED', createdAt: expect.any(String), expiry: expect.any(String) };
  expect(nodes).toMatchObject([issued, issued]);
  expect(nodes[0].createdAt >= nodes[1].createdAt).toBe(true);
});

test('of 24 passwords guessed in parallel through nginx, the instances check exactly 5 together', async () => {
  const variables = { username: 'radio@dos.example', password: 'adivinanza' };
  const answers = await Promise.all(Array.from({ length: 24 }, () => ask('nginx', LOGIN, { variables })));
  const outcomes = answers.map(outcome);
  expect(outcomes.filter((one) => one === 'INVALID_CREDENTIALS')).toHaveLength(5);
  expect(outcomes.filter((one) => one === 'RATE_LIMITED')).toHaveLength(19);
  for (const { server } of [first, second]) {
    await expect.poll(() => server.output).toContain('RATE_LIMITED');
  }
});
