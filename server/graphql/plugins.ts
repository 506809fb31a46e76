import type { ApolloServerPlugin } from '@apollo/server';
import { GraphQLError } from 'graphql';
import { CodedError, INTERNAL_ERROR } from '../errors.ts';
import { logFailure } from '../observing/log.ts';
import { loggedKey, type RequestObserver } from '../observing/requestLog.ts';
import { causeOf, nameRefusedArguments } from './graphqlErrors.ts';
import type { RequestContext } from './requestContext.ts';
import { rootFieldsIn } from './rootFields.ts';

const OPERATION_NAME = /^[_A-Za-z]\w{0,63}$/;
const INTROSPECTION_FIELDS = ['__schema', '__type'];
const LEGACY_TYPE = 'application/json';
const CURRENT_TYPES = ['application/graphql-response+json', '*/*'];

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

export function operationOutcome(observer?: RequestObserver): ApolloServerPlugin<RequestContext> {
  return {
    async requestDidStart() {
      const startMs = performance.now();
      let fields: string[] = [];
      return {
        async didResolveOperation({ operation, operationName, document, contextValue }) {
          if (operation === undefined) return;
          fields = rootFieldsIn(document, operation);
          contextValue.logFields.fields = fields;
          if (OPERATION_NAME.test(operationName ?? '')) contextValue.logFields.operation = operationName;
        },
        async didEncounterErrors(requestContext) {
          const { log } = requestContext.contextValue;
          nameRefusedArguments(requestContext.errors, requestContext);
          for (const error of requestContext.errors) {
            const { code = INTERNAL_ERROR.code } = error.extensions;
            // Every other code of GraphQL and Apollo Server means a fault in the request.
            if (code === INTERNAL_ERROR.code) logFailure(log, causeOf(error));
          }
        },
        async willSendResponse({ response, contextValue }) {
          if (response.body.kind !== 'single') return;
          const { errors = [] } = response.body.singleResult;
          const codes = errors.map(({ extensions }) => String(extensions?.code));
          if (codes.length > 0) contextValue.logFields.codes = [...new Set(codes)];
          const waits = errors.map(({ extensions }) => Number(extensions?.retryAfterSeconds ?? 0));
          const wait = Math.max(0, ...waits);
          // HTTP libraries obey this header, which /live and proxies send too.
          if (wait > 0) response.http.headers.set('retry-after', String(wait));
          observer?.onOperation({
            fields,
            code: codes[0] ?? null,
            durationMs: performance.now() - startMs,
            key: loggedKey(contextValue.logFields),
          });
        },
      };
    },
  };
}

/** Apollo Server answers errors of this hook with status 500, so a coded one is wrapped with 400. */
function refuse(error: unknown): never {
  if (!(error instanceof CodedError)) throw error;
  throw new GraphQLError(error.message, { originalError: error, extensions: { http: { status: 400 } } });
}
