import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ApolloServer } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { InMemoryLRUCache } from '@apollo/utils.keyvaluecache';
import { PROJECT_ROOT } from '../config/folders.ts';
import type { RequestObserver } from '../observing/requestLog.ts';
import { formatError, MAX_QUERY_TOKENS } from './graphqlErrors.ts';
import {
  ignoreEmptyName,
  ignoreQueryHash,
  introspectionForSignedIn,
  legacyStatus,
  operationOutcome,
} from './plugins.ts';
import type { RequestContext } from './requestContext.ts';
import { resolvers } from './resolvers.ts';
import { rootFieldLimits } from './rootFields.ts';

/** Fields and fragments of an operation, counted after fragments are expanded: a few tokens could ask for millions. */
const MAX_SELECTIONS = 400;
const MAX_VALIDATION_ERRORS = 10;
/** More than the pages and tools send; each takes up to 0.2 MB. */
const MAX_KEPT_DOCUMENTS = 100;

/**
 * Headers with which a query may come by GET: no other site's page can send them. Apollo Server's own two, and
 * `authorization` (docs/decisions/0014-cross-site-requests.md).
 */
const CSRF_SAFE_HEADERS = ['x-apollo-operation-name', 'apollo-require-preflight', 'authorization'];

export const readSchema = () => readFileSync(path.join(PROJECT_ROOT, 'schema.graphql'), 'utf8');

export async function startGraphqlServer(
  isSchemaOpen: boolean,
  observer?: RequestObserver,
): Promise<ApolloServer<RequestContext>> {
  const server = new ApolloServer<RequestContext>({
    typeDefs: readSchema(),
    resolvers,
    introspection: true,
    hideSchemaDetailsFromClientErrors: !isSchemaOpen,
    formatError,
    includeStacktraceInErrorResponses: false,
    persistedQueries: false,
    // Apollo Server's own store does not count the sources that syntax trees keep: it grows past a gigabyte.
    documentStore: new InMemoryLRUCache({ max: MAX_KEPT_DOCUMENTS }),
    csrfPrevention: { requestHeaders: CSRF_SAFE_HEADERS },
    parseOptions: { maxTokens: MAX_QUERY_TOKENS },
    maxRecursiveSelections: MAX_SELECTIONS,
    validationRules: [rootFieldLimits],
    validationOptions: { maxErrors: MAX_VALIDATION_ERRORS },
    stopOnTerminationSignals: false,
    plugins: [
      ignoreQueryHash,
      ignoreEmptyName,
      operationOutcome(observer),
      legacyStatus,
      ...(isSchemaOpen ? [] : [introspectionForSignedIn]),
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
      ApolloServerPluginLandingPageDisabled(),
    ],
  });
  await server.start();
  return server;
}
