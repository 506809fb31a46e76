import type { ApolloServerPlugin } from '@apollo/server';
import { INTERNAL_ERROR } from '../errors.ts';
import { logFailure } from '../observing/logFailure.ts';
import { loggedKey, type RequestObserver } from '../observing/requestLog.ts';
import { causeOf, nameRefusedArguments } from './graphqlErrors.ts';
import type { RequestContext } from './requestContext.ts';
import { rootFieldsIn } from './rootFields.ts';

const OPERATION_NAME = /^[_A-Za-z]\w{0,63}$/;

export function operationOutcome(observer?: RequestObserver): ApolloServerPlugin<RequestContext> {
  return {
    async requestDidStart() {
      const startMs = performance.now();
      let fields: string[] = [];
      return {
        async didResolveOperation({ operation, operationName, document, contextValue }) {
          if (operation === undefined) return;
          fields = rootFieldsIn(document, operation);
          contextValue.logFields.fields = fields;
          if (OPERATION_NAME.test(operationName ?? '')) contextValue.logFields.operation = operationName;
        },
        async didEncounterErrors(requestContext) {
          const { log } = requestContext.contextValue;
          nameRefusedArguments(requestContext.errors, requestContext);
          for (const error of requestContext.errors) {
            const { code = INTERNAL_ERROR.code } = error.extensions;
            // Every other code of GraphQL and Apollo Server means a fault in the request.
            if (code === INTERNAL_ERROR.code) logFailure(log, causeOf(error));
          }
        },
        async willSendResponse({ response, contextValue }) {
          if (response.body.kind !== 'single') return;
          const { errors = [] } = response.body.singleResult;
          const codes = errors.map(({ extensions }) => String(extensions?.code));
          if (codes.length > 0) contextValue.logFields.codes = [...new Set(codes)];
          const waits = errors.map(({ extensions }) => Number(extensions?.retryAfterSeconds ?? 0));
          const wait = Math.max(0, ...waits);
          // HTTP libraries obey this header, which /live and proxies send too.
          if (wait > 0) response.http.headers.set('retry-after', String(wait));
          observer?.onOperation({
            fields,
            code: codes[0] ?? null,
            durationMs: performance.now() - startMs,
            key: loggedKey(contextValue.logFields),
          });
        },
      };
    },
  };
}
