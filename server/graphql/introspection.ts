import type { ApolloServerPlugin } from '@apollo/server';
import { GraphQLError } from 'graphql';
import { CodedError } from '../errors.ts';
import type { RequestContext } from './requestContext.ts';
import { rootFieldsIn } from './rootFields.ts';

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
