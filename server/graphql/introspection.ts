import type { ApolloServerPlugin } from '@apollo/server';
import { ApolloServerErrorCode, ApolloServerValidationErrorCode } from '@apollo/server/errors';
import { BREAK, type DocumentNode, GraphQLError, visit } from 'graphql';
import type { RequestContext } from './requestContext.ts';

const INTROSPECTION_NAME = /\b__(schema|type)\b/;

/**
 * The schema is shown to whoever is signed in: a partner's own tools may generate code from it, strangers need not know it
 * (docs/decisions/0013-graphql-over-http.md). No validation rule, for those know nothing of the request, and Apollo Server
 * remembers what they accepted.
 */
export const introspectionForSignedIn: ApolloServerPlugin<RequestContext> = {
  async requestDidStart({ request }) {
    // Nearly all that comes has no such name anywhere, and need not be gone through.
    if (!INTROSPECTION_NAME.test(request.query ?? '')) return;
    return {
      async didResolveOperation({ document, contextValue }) {
        if (!asksForTheSchema(document) || (await contextValue.session()) !== null) return;
        throw new GraphQLError('GraphQL introspection is not allowed, sign in first', {
          extensions: {
            code: ApolloServerErrorCode.GRAPHQL_VALIDATION_FAILED,
            validationErrorCode: ApolloServerValidationErrorCode.INTROSPECTION_DISABLED,
            http: { status: 400 },
          },
        });
      },
    };
  },
};

function asksForTheSchema(document: DocumentNode): boolean {
  let asks = false;
  visit(document, {
    Field({ name }) {
      asks ||= INTROSPECTION_NAME.test(name.value);
      return asks ? BREAK : undefined;
    },
  });
  return asks;
}
