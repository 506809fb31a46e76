import { createHash } from 'node:crypto';
import { DOC_PATHS } from '../../shared/paths.ts';

/** The account that Apollo Sandbox fills in for signing in. Null turns Sandbox off, and introspection while signed out. */
export type SandboxOptions = { credentials: { username: string; password: string } | null } | null;

const OPERATIONS = /* GraphQL */ `# The session comes back as a cookie that the other operations send along: begin here.
mutation SignIn($username: String!, $password: String!) {
  login(username: $username, password: $password) {
    id
    company
    expiry
    jwt
  }
}

mutation CreateToken {
  createToken {
    token
    streamUrl
    company
    expiry
    lifetimeSeconds
  }
}

query WhoAmI {
  session {
    id
    company
    expiry
  }
}

# The newest; "after" is the endCursor of a page, for the next one.
query Tokens($first: Int, $after: String, $filter: TokenFilter) {
  tokens(first: $first, after: $after, filter: $filter) {
    nodes {
      createdAt
      expiry
      outcome
      address
      client
      keyName
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}

query Stream {
  stream {
    baseUrl
    lifetimeSeconds
  }
}

mutation SignOut {
  logout
}
`;

const SCRIPT_URL =
  'https://embeddable-sandbox.cdn.apollographql.com/v2/embeddable-sandbox.umd.production.min.js';
const FRAME_ORIGIN = 'https://sandbox.embed.apollographql.com';

/** Shows the frame once it has sent a message; after two seconds without one, the page's own text. */
const STYLE = `
  body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; color: #1b2240; background: #fff; }
  main { max-width: 52rem; margin: 0 auto; padding: 1rem; animation: show 0s 2s both; }
  @keyframes show { from { visibility: hidden; } }
  .loaded { overflow: hidden; }
  .loaded main { display: none; }
  body:not(.loaded) iframe { visibility: hidden; }
  iframe { position: fixed; inset: 0; width: 100%; height: 100%; border: 0; background: #fff; }
`;

export type Sandbox = { page: string; contentSecurityPolicy: string };

export function createSandbox({ credentials }: NonNullable<SandboxOptions>): Sandbox {
  const { username = '', password = '' } = credentials ?? {};
  const config = {
    target: '#embeddableSandbox',
    initialState: {
      document: OPERATIONS,
      variables: { username, password, first: 10, after: null, filter: null },
      includeCookies: true,
    },
    hideCookieToggle: false,
    endpointIsEditable: false,
    runTelemetry: false,
    allowDynamicStyles: false,
  };
  const script = `
  const config = ${JSON.stringify(config).replaceAll('<', '\\u003c')};
  const initialEndpoint = location.origin + location.pathname;
  addEventListener('message', ({ origin }) => {
    if (origin === '${FRAME_ORIGIN}') document.body.classList.add('loaded');
  });
  if (window.EmbeddedSandbox) new window.EmbeddedSandbox({ ...config, initialEndpoint });
`;
  const policy = {
    'default-src': "'none'",
    'script-src': `${hashOf(script)} ${SCRIPT_URL}`,
    'style-src': hashOf(STYLE),
    'img-src': "'self'",
    'connect-src': "'self'",
    'frame-src': FRAME_ORIGIN,
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
  };
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Apollo Sandbox · Audio Oficial Premium</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>The API of Audio Oficial Premium</h1>
<p>Apollo Sandbox has not loaded: it comes from the internet and needs JavaScript. The API works without it.</p>
<p>Examples for curl, errors and limits: <a href="${DOC_PATHS['api.md']}">the API's page</a>.</p>
</main>
<div id="embeddableSandbox"></div>
<script src="${SCRIPT_URL}"></script>
<script>${script}</script>
</body>
</html>
`;
  const directives = Object.entries(policy).map(([directive, sources]) => `${directive} ${sources}`);
  return { page, contentSecurityPolicy: directives.join(';') };
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
