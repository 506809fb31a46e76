import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtClient } from '../../support/builtClient.ts';
import { observatoryGrade, type Visit } from '../../support/observatory.ts';
import { ACCOUNT, LOGIN, startTestApp, type TestApp } from '../../support/testApp.ts';

/** What the proxy in front adds for a browser that came by https. */
const HTTPS = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.7' };
const OTHER_SITE = 'https://otro.example';
const FIREBASE = { apiKey: 'key', projectId: 'audio', appId: '1:23:web:45', measurementId: 'G-1' };
let clientFolder: string;
let app: TestApp;

beforeAll(async () => {
  clientFolder = await builtClient();
  app = await startTestApp({ clientFolder, trustProxy: 1 });
  await app.addAccount(ACCOUNT);
});
afterAll(() => app.close());

/** A page as a partner's browser meets it, and the cookies that signing in there brings. */
async function visit(site: TestApp, route: string): Promise<Visit> {
  const { headers, ...page } = await get(site, route);
  const { username, password } = ACCOUNT;
  const login = await site.graphql(LOGIN, { variables: { username, password }, headers: HTTPS });
  expect(login.errors).toBeUndefined();
  const preflight = await fetch(site.url + route, {
    method: 'OPTIONS',
    headers: { ...HTTPS, origin: OTHER_SITE, 'access-control-request-method': 'GET' },
  });
  return {
    headers,
    html: page.text,
    setCookies: [...headers.getSetCookie(), ...login.headers.getSetCookie()],
    preflight: { origin: OTHER_SITE, headers: preflight.headers },
    // Redirecting to https is the proxy's: by http nobody else answers.
    httpRoute: null,
  };
}

async function get(site: TestApp, route: string, headers: Record<string, string> = HTTPS) {
  const response = await fetch(site.url + route, { headers: { accept: 'text/html', ...headers } });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe("by the rules of MDN's HTTP Observatory", () => {
  test.each(['/', '/dashboard'])('%s is graded A+, with nothing that costs a point', async (route) => {
    const { grade, score, findings } = observatoryGrade(await visit(app, route));
    expect(findings).toEqual([
      'csp-implemented-with-no-unsafe-default-src-none',
      'cookies-secure-with-httponly-sessions-and-samesite',
      'cross-origin-resource-sharing-not-implemented',
      'redirection-not-needed-no-http',
      'referrer-policy-private',
      'hsts-implemented-max-age-at-least-six-months',
      'sri-not-implemented-but-all-scripts-loaded-from-secure-origin',
      'x-content-type-options-nosniff',
      'x-frame-options-implemented-via-csp',
      'cross-origin-resource-policy-implemented-with-same-origin',
      'coop-implemented',
      'coep-not-implemented',
    ]);
    expect([grade, score]).toEqual(['A+', 145]);
  });

  test('pages with analytics are graded A+ too', async () => {
    const databaseUrl = app.databaseUrl;
    const configured = await startTestApp({
      clientFolder,
      trustProxy: 1,
      firebaseConfig: FIREBASE,
      databaseUrl,
    });
    try {
      expect(observatoryGrade(await visit(configured, '/'))).toMatchObject({ grade: 'A+', score: 145 });
    } finally {
      await configured.close();
    }
  });

  test.each<[fault: string, change: (visit: Visit) => Partial<Visit>, finding: string, score: number]>([
    [
      'inline scripts',
      without("script-src 'self'", "script-src 'self' 'unsafe-inline'"),
      'csp-implemented-with-unsafe-inline',
      80,
    ],
    ['no policy', dropped('content-security-policy'), 'csp-not-implemented', 75],
    [
      'a policy for everything unnamed',
      without("default-src 'none'", "default-src 'self'"),
      'csp-implemented-with-no-unsafe',
      140,
    ],
    ['no HSTS', dropped('strict-transport-security'), 'hsts-not-implemented', 80],
    ['any type guessed', dropped('x-content-type-options'), 'x-content-type-options-not-implemented', 140],
    ['no isolation', dropped('cross-origin-opener-policy'), 'coop-not-implemented', 135],
    ['a script by http', foreignScript, 'sri-not-implemented-and-external-scripts-not-loaded-securely', 50],
    [
      'a session cookie that scripts read',
      cookies((cookie) => cookie.replace('; HttpOnly', '')),
      'cookies-session-without-httponly-flag',
      70,
    ],
    [
      'a cookie for other sites',
      cookies((cookie) => cookie.replace('; SameSite=Strict', '')),
      'cookies-secure-with-httponly-sessions',
      140,
    ],
    ['the page by http too', () => ({ httpRoute: ['http://audio.example/'] }), 'redirection-missing', 80],
    [
      'answers for any other site',
      openToOthers,
      'cross-origin-resource-sharing-implemented-with-universal-access',
      50,
    ],
  ])('%s would cost points', async (_fault, change, finding, score) => {
    const met = await visit(app, '/');
    const graded = observatoryGrade({ ...met, ...change(met) });
    expect(graded.findings).toContain(finding);
    expect(graded.score).toBe(score);
  });
});

test('robots and browsers find at the root what they look for there', async () => {
  const robots = await get(app, '/robots.txt');
  expect([robots.status, robots.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(robots.text).toBe('User-agent: *\nAllow: /\n');
  const icon = await get(app, '/favicon.ico');
  expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/vnd.microsoft.icon']);
  expect(Number(icon.headers.get('content-length'))).toBeLessThan(2_000);
});

describe('over https', () => {
  test('signing in sets cookies for this host alone, out of reach of scripts, other sites and plain http', async () => {
    const { setCookies } = await visit(app, '/');
    expect(setCookies).toHaveLength(2);
    for (const [index, name] of ['__Host-session', '__Host-device'].entries()) {
      const [pair, ...attributes] = setCookies[index]?.split('; ') ?? [];
      expect(pair?.split('=')[0]).toBe(name);
      expect(attributes.filter((attribute) => !attribute.startsWith('Expires='))).toEqual([
        'Path=/',
        'HttpOnly',
        'Secure',
        'SameSite=Strict',
      ]);
    }
  });

  test('pages may use no camera, microphone or place', async () => {
    const { headers } = await get(app, '/');
    for (const feature of ['camera', 'microphone', 'geolocation']) {
      expect(headers.get('permissions-policy')).toContain(`${feature}=()`);
    }
  });

  test.each(['/', '/otra', '/healthz', '/graphql', '/assets/none.js'])(
    '%s, whatever it answers, keeps to https, is what it says it is, and is shown in no frame',
    async (route) => {
      const { headers } = await get(app, route);
      expect(headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('content-type')).toContain('; charset=utf-8');
    },
  );

  test('an address that cannot be read is answered with nothing that a browser would show or run', async () => {
    const { status, headers } = await get(app, '/%zz');
    expect(status).toBe(400);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
  });

  test('what counts over https alone is not said by plain http, where browsers complain of it', async () => {
    const { headers } = await get(app, '/', {});
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.has('strict-transport-security')).toBe(false);
    expect(headers.has('cross-origin-opener-policy')).toBe(false);
  });
});

test("Apollo Sandbox's page has a policy of its own, which runs no inline script without a nonce", async () => {
  const sandbox = await startTestApp({ sandbox: { credentials: null }, trustProxy: 1 });
  try {
    const { headers, text } = await get(sandbox, '/graphql');
    expect(headers.get('content-security-policy')).toBe(
      "base-uri 'none'; object-src 'none'; frame-ancestors 'none'",
    );
    const policy = /http-equiv="content-security-policy"\s+content="([^"]*)"/i.exec(text)?.[1] ?? '';
    const scripts = policy.split(';').find((directive) => directive.trim().startsWith('script-src')) ?? '';
    expect(scripts).toMatch(/'nonce-\w+'/);
    expect(scripts).not.toContain('unsafe');
    for (const host of scripts.match(/https:\/\/[^\s/]+/g) ?? [])
      expect(host).toMatch(/\.apollographql\.com$/);
  } finally {
    await sandbox.close();
  }
});

function dropped(header: string) {
  return ({ headers }: Visit) => {
    const left = new Headers(headers);
    left.delete(header);
    return { headers: left };
  };
}

function without(directive: string, instead: string) {
  return ({ headers }: Visit) => {
    const changed = new Headers(headers);
    const policy = headers.get('content-security-policy') ?? '';
    changed.set('content-security-policy', policy.replace(directive, instead));
    return { headers: changed };
  };
}

function cookies(change: (setCookie: string) => string) {
  return ({ setCookies }: Visit) => ({ setCookies: setCookies.map(change) });
}

function foreignScript({ html }: Visit) {
  return { html: html.replace('</head>', '<script src="http://cdn.example/a.js"></script></head>') };
}

function openToOthers({ preflight: { origin } }: Visit) {
  const headers = new Headers({
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
  });
  return { preflight: { origin, headers } };
}
