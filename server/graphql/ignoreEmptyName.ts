import type { ApolloServerPlugin } from '@apollo/server';
import type { RequestContext } from './requestContext.ts';

/** Takes the empty operation name of some tools for none: no operation has it. */
export const ignoreEmptyName: ApolloServerPlugin<RequestContext> = {
  async requestDidStart({ request }) {
    if (request.operationName === '') delete request.operationName;
  },
};
