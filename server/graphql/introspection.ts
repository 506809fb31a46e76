import type { ApolloServerPlugin } from '@apollo/server';
import { ApolloServerErrorCode, ApolloServerValidationErrorCode } from '@apollo/server/errors';
import { BREAK, type DocumentNode, GraphQLError, visit } from 'graphql';
import type { RequestContext } from './requestContext.ts';

const INTROSPECTION_NAME = /\b__(schema|type)\b/;

/**
 * Only signed-in callers may introspect, so that their tools can generate code.
 * Not a validation rule: it does not see the request, and Apollo Server caches its result by document.
 */
export const introspectionForSignedIn: ApolloServerPlugin<RequestContext> = {
  async requestDidStart({ request }) {
    // Nearly every request is spared the walk through its document.
    if (!INTROSPECTION_NAME.test(request.query ?? '')) return;
    return {
      async didResolveOperation({ document, contextValue }) {
        if (!asksForTheSchema(document) || (await contextValue.session()) !== null) return;
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
