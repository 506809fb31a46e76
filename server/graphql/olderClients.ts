import type { ApolloServerPlugin } from '@apollo/server';
import type { RequestContext } from './requestContext.ts';

const OLDER_TYPE = 'application/json';
const NEWER_TYPES = ['application/graphql-response+json', '*/*'];

/**
 * Clients that name `application/json` alone are of the time when it was no HTTP failure for a document to be refused, and
 * may not read the errors of any other status than 200 (GraphQL over HTTP, section 6.4.1). Everybody else gets the 400.
 */
export const okForOlderClients: ApolloServerPlugin<RequestContext> = {
  async requestDidStart({ request }) {
    const accepted = request.http?.headers.get('accept') ?? '';
    const isOlder = accepted.includes(OLDER_TYPE) && !NEWER_TYPES.some((type) => accepted.includes(type));
    if (!isOlder) return;
    return {
      async willSendResponse({ source, response: { http } }) {
        // Without a source it was no GraphQL request at all.
        const isRefusedDocument = source !== undefined && http.status === 400;
        if (isRefusedDocument) http.status = 200;
      },
    };
  },
};
