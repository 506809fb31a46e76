import type { ApolloServerPlugin } from '@apollo/server';
import { ApolloServerPluginLandingPageDisabled } from '@apollo/server/plugin/disabled';
import { ApolloServerPluginLandingPageLocalDefault } from '@apollo/server/plugin/landingPage/default';

/** The credentials that Apollo Sandbox fills in for signing in. Null turns Sandbox off, and introspection while signed out. */
export type SandboxOptions = { credentials: { username: string; password: string } | null } | null;

/** All operations, in the order in which a caller uses them (docs/api.md). Sandbox runs the one at the cursor. */
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
query Tokens($first: Int, $after: String) {
  tokens(first: $first, after: $after) {
    edges {
      node {
        createdAt
        expiry
        outcome
        address
        client
      }
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

/** Serves Apollo Sandbox at `GET /graphql` with the operations and variables filled in; it sends the session's cookie along. */
export function sandboxPage(sandbox: SandboxOptions): ApolloServerPlugin {
  if (sandbox === null) return ApolloServerPluginLandingPageDisabled();
  const { username = '', password = '' } = sandbox.credentials ?? {};
  return ApolloServerPluginLandingPageLocalDefault({
    embed: { runTelemetry: false, endpointIsEditable: false },
    includeCookies: true,
    footer: false,
    document: OPERATIONS,
    variables: { username, password, first: 10, after: null },
  });
}
