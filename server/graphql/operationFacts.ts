import type { ApolloServerPlugin } from '@apollo/server';
import type { FragmentDefinitionNode } from 'graphql';
import type { RequestObserver } from '../observing/requestLog.ts';
import { rootFields } from './operationLimits.ts';
import type { RequestContext } from './requestContext.ts';

const OPERATION_NAME = /^[_A-Za-z]\w{0,63}$/;

/** Notes the operation and the codes of its failures for the request log, and tells them to the observer. */
export function operationFacts(observer?: RequestObserver): ApolloServerPlugin<RequestContext> {
  return {
    async requestDidStart() {
      const startMs = performance.now();
      let fields: string[] = [];
      return {
        async didResolveOperation({ operation, operationName, document, contextValue }) {
          if (operation === undefined) return;
          const fragments = new Map<string, FragmentDefinitionNode>();
          for (const definition of document.definitions) {
            if (definition.kind === 'FragmentDefinition') fragments.set(definition.name.value, definition);
          }
          fields = [...new Set(rootFields(operation, (name) => fragments.get(name) ?? null))];
          contextValue.facts.fields = fields;
          if (OPERATION_NAME.test(operationName ?? '')) contextValue.facts.operation = operationName;
        },
        async willSendResponse({ response, contextValue }) {
          if (response.body.kind !== 'single') return;
          const codes = (response.body.singleResult.errors ?? []).map(({ extensions }) =>
            String(extensions?.code),
          );
          if (codes.length > 0) contextValue.facts.codes = [...new Set(codes)];
          observer?.onOperation({
            fields,
            code: codes[0] ?? null,
            durationMs: performance.now() - startMs,
            key: contextValue.facts.key ?? null,
          });
        },
      };
    },
  };
}
