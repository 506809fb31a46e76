import type { ApolloServerPlugin } from '@apollo/server';
import { ApolloServerErrorCode, ApolloServerValidationErrorCode } from '@apollo/server/errors';
import { GraphQLError } from 'graphql';
import { CodedError } from '../errors.ts';
import type { RequestContext } from './requestContext.ts';
import { rootFieldsIn } from './rootFields.ts';

const INTROSPECTION_FIELDS = ['__schema', '__type'];

/**
 * Only signed-in callers may introspect, so that their tools can generate code.
 * Not a validation rule: it does not see the request, and Apollo Server caches its result by document.
 */
export const introspectionForSignedIn: ApolloServerPlugin<RequestContext> = {
  async requestDidStart() {
    return {
      async didResolveOperation({ document, operation, contextValue }) {
        const fields = operation === undefined ? [] : rootFieldsIn(document, operation);
        if (!fields.some((name) => INTROSPECTION_FIELDS.includes(name))) return;
        if ((await contextValue.caller({ note: 'key' }).catch(refuse)) !== null) return;
        throw new GraphQLError(
          'Introspection needs a session: send "authorization: Bearer <jwt>", or use schema.graphql',
          {
            extensions: {
              code: ApolloServerErrorCode.GRAPHQL_VALIDATION_FAILED,
              validationErrorCode: ApolloServerValidationErrorCode.INTROSPECTION_DISABLED,
              http: { status: 400 },
            },
          },
        );
      },
    };
  },
};

/** Apollo Server answers errors of this hook with status 500, so a coded one is wrapped with 400. */
function refuse(error: unknown): never {
  if (!(error instanceof CodedError)) throw error;
  throw new GraphQLError(error.message, { originalError: error, extensions: { http: { status: 400 } } });
}
