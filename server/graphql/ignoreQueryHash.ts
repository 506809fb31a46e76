import type { ApolloServerPlugin } from '@apollo/server';
import type { RequestContext } from './requestContext.ts';

/** Drops the hash that Apollo iOS, Apollo Kotlin and urql send beside a query: Apollo Server would refuse both. */
export const ignoreQueryHash: ApolloServerPlugin<RequestContext> = {
  async requestDidStart({ request: { query, extensions } }) {
    if (query) delete extensions?.persistedQuery;
  },
};
