import { readFileSync } from 'node:fs';
import path from 'node:path';
import { buildSchema, Kind, parse, validate } from 'graphql';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/paths.ts';
import { type PartnerSite, startPartnerSite } from '../support/partnerSite.ts';
import { ACCOUNT } from '../support/testApp.ts';

/** The options that the page passes to Apollo's script. */
type SandboxConfig = {
  target: string;
  initialEndpoint: string;
  endpointIsEditable: boolean;
  runTelemetry: boolean;
  initialState: { document: string; variables: Record<string, unknown>; includeCookies: boolean };
};

/** Stands in for Apollo's script, which comes from its CDN: keeps what it is given, and shows Apollo's frame as that one does. */
const APOLLOS_SCRIPT = `
  window.EmbeddedSandbox = class {
    constructor(config) {
      window.sandboxConfig = config;
      const frame = document.createElement('iframe');
      frame.src = 'https://sandbox.embed.apollographql.com/sandbox/explorer';
      document.querySelector(config.target).append(frame);
    }
  };`;
const APOLLOS_FRAME = '<!doctype html><title>Sandbox</title>';
const APOLLOS_PLACES = /^https:\/\/[\w.-]+\.apollographql\.com\//;

let site: PartnerSite;
let page: Page;
let config: SandboxConfig;
const complaints: string[] = [];

beforeAll(async () => {
  const { username, password } = ACCOUNT;
  site = await startPartnerSite({ sandbox: { credentials: { username, password } } });
  ({ page } = await site.newPartner());
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.route(APOLLOS_PLACES, (route) =>
    route.fulfill(
      {
        script: { contentType: 'text/javascript', body: APOLLOS_SCRIPT },
        document: { contentType: 'text/html', body: APOLLOS_FRAME },
      }[route.request().resourceType()] ?? { status: 404 },
    ),
  );
  await page.goto('/graphql');
  config = await page.evaluate<SandboxConfig>('window.sandboxConfig');
});
afterAll(() => site.close());

/** Runs a prepared operation as Apollo's script does for its frame (`executeOperation` of `@apollo/sandbox`). */
async function run(operationName: string): Promise<unknown> {
  return page.evaluate(
    async ([{ initialEndpoint, initialState }, name]) => {
      const { document: query, variables, includeCookies } = initialState;
      const response = await fetch(initialEndpoint, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables, operationName: name }),
        credentials: includeCookies ? 'include' : 'omit',
      });
      return response.json();
    },
    [config, operationName] as const,
  );
}

test("Apollo's script is given this very server, the cookie, the operations in order and their variables", async () => {
  const { username, password } = ACCOUNT;
  expect(config).toMatchObject({
    initialEndpoint: `${site.url}/graphql`,
    endpointIsEditable: false,
    runTelemetry: false,
    initialState: { variables: { username, password, first: 10, after: null }, includeCookies: true },
  });
  expect(operationNames()).toEqual(['SignIn', 'CreateToken', 'WhoAmI', 'Tokens', 'Stream', 'SignOut']);
  expect(await page.frameLocator('#embeddableSandbox iframe').locator('title').innerHTML()).toBe('Sandbox');
  expect(complaints).toEqual([]);
});

test('the operations fit the schema, use every variable that is prepared, and leave out no operation that there is', () => {
  const schema = buildSchema(readFileSync(path.join(PROJECT_ROOT, 'schema.graphql'), 'utf8'));
  const document = parse(config.initialState.document);
  expect(validate(schema, document)).toEqual([]);
  const operations = document.definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
  const variables = operations.flatMap(({ variableDefinitions = [] }) =>
    variableDefinitions.map(({ variable }) => variable.name.value),
  );
  expect(variables).toEqual(Object.keys(config.initialState.variables));
  const roots = [schema.getQueryType(), schema.getMutationType()];
  const fields = roots.flatMap((type) => Object.keys(type?.getFields() ?? {}));
  const prepared = operations.flatMap(({ selectionSet }) =>
    selectionSet.selections.map((field) => (field.kind === Kind.FIELD ? field.name.value : '')),
  );
  expect(prepared.toSorted()).toEqual(fields.toSorted());
});

test('each of them works from the page, signed in by a cookie that no script can read', async () => {
  const { company } = ACCOUNT;
  expect(await run('WhoAmI')).toEqual({ data: { session: null } });
  expect(await run('CreateToken')).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });

  expect(await run('SignIn')).toMatchObject({ data: { login: { company } } });
  expect(await page.evaluate(() => document.cookie)).toBe('');
  expect(await run('WhoAmI')).toMatchObject({ data: { session: { company } } });
  expect(await run('CreateToken')).toMatchObject({
    data: { createToken: { company, streamUrl: expect.stringContaining(site.streamBaseUrl) } },
  });
  expect(await run('Tokens')).toMatchObject({
    data: { tokens: { edges: [{ node: { outcome: 'ISSUED', client: 'BROWSER' } }] } },
  });
  expect(await run('Tokens')).toMatchObject({
    data: { tokens: { edges: [{ node: { outcome: 'ISSUED', client: 'BROWSER' } }] } },
  });
  expect(await run('Stream')).toMatchObject({ data: { stream: { baseUrl: site.streamBaseUrl } } });

  expect(await run('SignOut')).toEqual({ data: { logout: true } });
  expect(await run('WhoAmI')).toEqual({ data: { session: null } });
});

function operationNames() {
  return parse(config.initialState.document).definitions.map(
    (one) => one.kind === Kind.OPERATION_DEFINITION && one.name?.value,
  );
}
