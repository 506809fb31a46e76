import type { ApolloServerPlugin } from '@apollo/server';
import type { RequestContext } from './requestContext.ts';

/** Treats the empty operation name that some tools send as none: no operation can have it. */
export const ignoreEmptyName: ApolloServerPlugin<RequestContext> = {
  async requestDidStart({ request }) {
    if (request.operationName === '') delete request.operationName;
  },
};
