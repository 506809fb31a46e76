import type { ApolloServerPlugin } from '@apollo/server';
import { ApolloServerErrorCode, ApolloServerValidationErrorCode } from '@apollo/server/errors';
import { BREAK, type DocumentNode, GraphQLError, visit } from 'graphql';
import type { RequestContext } from './context.ts';

const INTROSPECTION_FIELD = /^__(schema|type)$/;

/**
 * The schema is shown to whoever is signed in: a partner's own tools may generate code from it, strangers need not know it
 * (docs/decisions/0013-graphql-over-http.md). No validation rule, for those know nothing of the request, and Apollo Server
 * remembers what they accepted.
 */
export const introspectionForSignedIn: ApolloServerPlugin<RequestContext> = {
  async requestDidStart() {
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

/** Of each document that Apollo Server remembers, so that going through it costs the first request alone. */
const known = new WeakMap<DocumentNode, boolean>();

function asksForTheSchema(document: DocumentNode): boolean {
  let asks = known.get(document);
  if (asks === undefined) {
    asks = hasIntrospectionField(document);
    known.set(document, asks);
  }
  return asks;
}

function hasIntrospectionField(document: DocumentNode): boolean {
  let asks = false;
  visit(document, {
    Field({ name }) {
      asks ||= INTROSPECTION_FIELD.test(name.value);
      return asks ? BREAK : undefined;
    },
  });
  return asks;
}
