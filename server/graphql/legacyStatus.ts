import type { ApolloServerPlugin } from '@apollo/server';
import type { RequestContext } from './requestContext.ts';

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
