import type { ApolloServerPlugin } from '@apollo/server';
import { ApolloServerPluginLandingPageDisabled } from '@apollo/server/plugin/disabled';
import { ApolloServerPluginLandingPageLocalDefault } from '@apollo/server/plugin/landingPage/default';

/** What Apollo Sandbox fills in for the sign-in; null where it is off, and with it introspection by those who are signed out. */
export type SandboxOptions = { credentials: { username: string; password: string } | null } | null;

/** Everything that a caller does, in its order (docs/api.md). Sandbox runs the one that the cursor is in. */
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

/** Apollo Sandbox at `GET /graphql`, ready to run: operations, their variables, and the session's cookie sent along. */
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
