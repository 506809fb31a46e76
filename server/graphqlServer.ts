import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { ApolloServerPluginLandingPageLocalDefault } from '@apollo/server/plugin/landingPage/default';
import type { RequestContext } from './context.ts';
import { errorLogging, formatError } from './graphqlErrors.ts';
import { introspectionForSignedIn } from './introspection.ts';
import { okForOlderClients } from './olderClients.ts';
import { boundedExtent, noSubscription, singleRootFieldPerMutation } from './operationRules.ts';
import { PROJECT_ROOT } from './paths.ts';
import { operationFacts, type RequestObserver } from './requestLog.ts';
import { resolvers } from './resolvers.ts';

/** What Apollo Sandbox fills in for the sign-in; null where it is off, and with it introspection by those who are signed out. */
export type SandboxOptions = { credentials: { username: string; password: string } | null } | null;

/** Sandbox's introspection has about 200. What GraphQL's validation costs grows with the square of them. */
const MAX_QUERY_TOKENS = 500;
const MAX_VALIDATION_ERRORS = 10;

const SANDBOX_OPERATIONS = `# Run SignIn first: the session comes back as a cookie that the other operations send along.
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

/** Apollo Server over `schema.graphql`, started. */
export async function startGraphqlServer(
  sandbox: SandboxOptions,
  observer?: RequestObserver,
): Promise<ApolloServer<RequestContext>> {
  const server = new ApolloServer<RequestContext>({
    typeDefs: readFileSync(path.join(PROJECT_ROOT, 'schema.graphql'), 'utf8'),
    resolvers,
    introspection: true,
    hideSchemaDetailsFromClientErrors: sandbox === null,
    formatError,
    includeStacktraceInErrorResponses: false,
    persistedQueries: false,
    parseOptions: { maxTokens: MAX_QUERY_TOKENS },
    validationRules: [boundedExtent, singleRootFieldPerMutation, noSubscription],
    validationOptions: { maxErrors: MAX_VALIDATION_ERRORS },
    stopOnTerminationSignals: false,
    plugins: [
      operationFacts(observer),
      errorLogging,
      okForOlderClients,
      ...(sandbox === null ? [introspectionForSignedIn] : []),
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
      landingPage(sandbox),
    ],
  });
  await server.start();
  return server;
}

function landingPage(sandbox: SandboxOptions): ApolloServerPlugin {
  if (sandbox === null) return ApolloServerPluginLandingPageDisabled();
  return ApolloServerPluginLandingPageLocalDefault({
    embed: { runTelemetry: false, endpointIsEditable: false },
    includeCookies: true,
    footer: false,
    document: SANDBOX_OPERATIONS,
    variables: {
      username: sandbox.credentials?.username ?? '',
      password: sandbox.credentials?.password ?? '',
    },
  });
}
