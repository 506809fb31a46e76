import type { ApolloServerPlugin } from '@apollo/server';
import { GraphQLError } from 'graphql';
import { CodedError } from '../errors.ts';
import type { RequestContext } from './requestContext.ts';
import { rootFieldsIn } from './rootFields.ts';

/** Drops the hash that Apollo iOS, Apollo Kotlin and urql send beside a query: Apollo Server would refuse both. */
export const ignoreQueryHash: ApolloServerPlugin<RequestContext> = {
  async requestDidStart({ request: { query, extensions } }) {
    if (query) delete extensions?.persistedQuery;
  },
};

/** Treats the empty operation name that some tools send as none: no operation can have it. */
export const ignoreEmptyName: ApolloServerPlugin<RequestContext> = {
  async requestDidStart({ request }) {
    if (request.operationName === '') delete request.operationName;
  },
};

const LEGACY_TYPE = 'application/json';
const CURRENT_TYPES = ['application/graphql-response+json', '*/*'];

/**
 * Answers a refused document with 200 instead of 400 to clients that accept only `application/json`: they may not read
 * the errors of another status (GraphQL over HTTP, section 6.4.1).
 */
export const legacyStatus: ApolloServerPlugin<RequestContext> = {
  async requestDidStart({ request }) {
    const accepted = request.http?.headers.get('accept') ?? '';
    const isLegacy = accepted.includes(LEGACY_TYPE) && !CURRENT_TYPES.some((type) => accepted.includes(type));
    if (!isLegacy) return;
    return {
      async willSendResponse({ source, response: { http } }) {
        // A request without a source was not GraphQL.
        const isRefusedDocument = source !== undefined && http.status === 400;
        if (isRefusedDocument) http.status = 200;
      },
    };
  },
};

const INTROSPECTION_FIELDS = ['__schema', '__type'];

/**
 * Only requests with a session or key may introspect, so that partners' tools can generate code.
 * Not a validation rule: it does not see the request, and Apollo Server caches its result by document.
 */
export const introspectionForSignedIn: ApolloServerPlugin<RequestContext> = {
  async requestDidStart() {
    return {
      async didResolveOperation({ document, operation, contextValue }) {
        const fields = operation === undefined ? [] : rootFieldsIn(document, operation);
        if (!fields.some((name) => INTROSPECTION_FIELDS.includes(name))) return;
        await contextValue.recordKeyUse(await contextValue.requireCaller().catch(refuse));
      },
    };
  },
};

/** Apollo Server answers errors of this hook with status 500, so a coded one is wrapped with 400. */
function refuse(error: unknown): never {
  if (!(error instanceof CodedError)) throw error;
  throw new GraphQLError(error.message, { originalError: error, extensions: { http: { status: 400 } } });
}
