import type { ApolloServerPlugin } from '@apollo/server';
import type { RequestContext } from './requestContext.ts';

/** Ignores the hash of a query that is sent with it (Apollo iOS, Apollo Kotlin, urql); Apollo Server would refuse both. */
export const hashBesideQuery: ApolloServerPlugin<RequestContext> = {
  async requestDidStart({ request: { query, extensions } }) {
    if (query) delete extensions?.persistedQuery;
  },
};
