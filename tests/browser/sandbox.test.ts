import { readFileSync } from 'node:fs';
import path from 'node:path';
import { buildSchema, parse, validate } from 'graphql';
import type { Page, Route } from 'playwright-core';
import { expect } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { test as base } from '../support/partnerTest.ts';
import { ACCOUNT } from '../support/testApp.ts';

type SandboxConfig = {
  initialEndpoint: string;
  initialState: { document: string; variables: Record<string, unknown>; includeCookies: boolean };
};

/** Stands in for the script of Apollo's CDN: keeps its options, and shows Apollo's frame. */
const APOLLOS_SCRIPT = `
  window.EmbeddedSandbox = class {
    constructor(config) {
      window.sandboxConfig = config;
      const frame = document.createElement('iframe');
      frame.src = 'https://sandbox.embed.apollographql.com/sandbox/explorer';
      document.querySelector(config.target).append(frame);
    }
  };`;
/** The frame reports to the page as Apollo's does, before it asks for the schema. */
const APOLLOS_FRAME = `<!doctype html><title>Sandbox</title>
<script>parent.postMessage({ name: 'ExplorerListeningForHandshake' }, '*')</script>`;
const SCHEMA = readFileSync(path.join(PROJECT_ROOT, 'schema.graphql'), 'utf8');
const APOLLOS_PLACES = /^https:\/\/[\w.-]+\.apollographql\.com\//;

const { username, password, company } = ACCOUNT;

const test = base.extend('siteOptions', { scope: 'file' }, () => ({
  sandbox: { credentials: { username, password } },
}));

function answerAsApollo(route: Route): Promise<void> {
  return route.fulfill(
    {
      script: { contentType: 'text/javascript', body: APOLLOS_SCRIPT },
      document: { contentType: 'text/html', body: APOLLOS_FRAME },
    }[route.request().resourceType()] ?? { status: 404 },
  );
}

async function openSandbox(page: Page): Promise<SandboxConfig> {
  await page.route(APOLLOS_PLACES, answerAsApollo);
  await page.goto('/graphql');
  return page.evaluate<SandboxConfig>('window.sandboxConfig');
}

/** Runs a prepared operation as Apollo's script does for its frame (`executeOperation` of `@apollo/sandbox`). */
async function runOperation(page: Page, config: SandboxConfig, operationName: string): Promise<unknown> {
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

test('Apollo Sandbox gets all that it needs to sign in and call this server', async ({
  site,
  partner,
  page,
}) => {
  const config = await openSandbox(page);
  expect(validate(buildSchema(SCHEMA), parse(config.initialState.document))).toEqual([]);
  expect(config).toMatchObject({
    initialEndpoint: `${site.url}/graphql`,
    endpointIsEditable: false,
    runTelemetry: false,
  });
  await page.locator('#embeddableSandbox iframe').waitFor();
  expect(await page.locator('main').boundingBox()).toBeNull();
  const run = (operationName: string) => runOperation(page, config, operationName);
  expect(await run('SignIn')).toMatchObject({ data: { login: { company } } });
  expect(await run('CreateToken')).toMatchObject({ data: { createToken: { company } } });
  expect(await run('SignOut')).toEqual({ data: { logout: true } });
  // Apollo's own page asks for files that this stand-in does not have.
  expect(partner.complaints.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([]);
});

test("without an answer from Apollo the page leads to the API's own", async ({ page }) => {
  await page.route(APOLLOS_PLACES, () => {});
  await page.goto('/graphql', { waitUntil: 'commit' });
  await page.getByRole('heading', { name: 'The API of Audio Oficial Premium' }).waitFor();
  await page.getByRole('link', { name: "the API's page" }).click();
  await page.getByRole('heading', { name: 'With a key' }).waitFor();
});
