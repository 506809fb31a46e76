import { readFileSync } from 'node:fs';
import path from 'node:path';
import { buildSchema, Kind, parse, validate } from 'graphql';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/paths.ts';
import { ACCOUNT } from '../support/testApp.ts';
import { test } from './partnerTest.ts';

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

let config: SandboxConfig;

const { username, password, company } = ACCOUNT;

test.override('siteOptions', { sandbox: { credentials: { username, password } } });

test.beforeEach(async ({ page }) => {
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

/** Runs a prepared operation as Apollo's script does for its frame (`executeOperation` of `@apollo/sandbox`). */
async function runOperation(page: Page, operationName: string): Promise<unknown> {
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

test("Apollo's script gets this server, the cookie, the operations and their variables", async ({
  site,
  partner,
  page,
}) => {
  expect(config).toMatchObject({
    initialEndpoint: `${site.url}/graphql`,
    endpointIsEditable: false,
    runTelemetry: false,
    initialState: { variables: { username, password, first: 10, after: null }, includeCookies: true },
  });
  expect(operationNames()).toEqual(['SignIn', 'CreateToken', 'WhoAmI', 'Tokens', 'Stream', 'SignOut']);
  expect(await page.frameLocator('#embeddableSandbox iframe').locator('title').innerHTML()).toBe('Sandbox');
  // Apollo's own page asks for files that this stand-in does not have.
  expect(partner.complaints.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([]);
});

test('the operations fit the schema, cover all of it, and use every variable', () => {
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

test('each operation works from the page, signed in by a cookie that no script can read', async ({
  site,
  page,
}) => {
  const run = (operationName: string) => runOperation(page, operationName);
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
  expect(await run('Stream')).toMatchObject({ data: { stream: { baseUrl: site.streamBaseUrl } } });

  expect(await run('SignOut')).toEqual({ data: { logout: true } });
  expect(await run('WhoAmI')).toEqual({ data: { session: null } });
});

function operationNames() {
  return parse(config.initialState.document).definitions.map(
    (one) => one.kind === Kind.OPERATION_DEFINITION && one.name?.value,
  );
}
