import type { ApolloServerPlugin } from '@apollo/server';
import type { RequestContext } from './requestContext.ts';

/** Ignores a hash beside its query (Apollo iOS, Apollo Kotlin, urql); Apollo Server would refuse both. */
export const hashBesideQuery: ApolloServerPlugin<RequestContext> = {
  async requestDidStart({ request: { query, extensions } }) {
    if (query) delete extensions?.persistedQuery;
  },
};
