import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  type OperationTypeNode,
  type SelectionSetNode,
  type ValidationRule,
} from 'graphql';

const LISTS = ['tokens', 'keys'];

/** Limits an operation's root fields, whatever its aliases and fragments (docs/decisions/0012-costly-queries.md). */
export const rootFieldLimits: ValidationRule = (context) => ({
  OperationDefinition(operation) {
    const fields = collectFields(operation, (name) => context.getFragment(name));
    const message = faultOf(operation.operation, fields);
    if (message !== null) context.reportError(new GraphQLError(message, { nodes: operation }));
  },
});

export function rootFieldsIn(document: DocumentNode, operation: OperationDefinitionNode): string[] {
  const fragments = document.definitions.filter((each) => each.kind === Kind.FRAGMENT_DEFINITION);
  return [...new Set(collectFields(operation, (name) => fragments.find((each) => each.name.value === name)))];
}

function faultOf(type: `${OperationTypeNode}`, fields: string[]): string | null {
  // GraphQL itself would fail only during execution, with an internal error.
  if (type === 'subscription') return 'There are no subscriptions';
  // One request is one attempt to sign in (OWASP GraphQL cheat sheet, "Batching Attacks").
  if (type === 'mutation' && fields.length > 1) return 'A mutation must have exactly one root field';
  const repeated = LISTS.find((list) => fields.indexOf(list) !== fields.lastIndexOf(list));
  return repeated === undefined ? null : `An operation may ask for ${repeated} once`;
}

function collectFields(
  operation: OperationDefinitionNode,
  fragment: (name: string) => FragmentDefinitionNode | null | undefined,
): string[] {
  const fields: string[] = [];
  const seen = new Set<string>();
  const pending: SelectionSetNode[] = [operation.selectionSet];
  for (let set = pending.pop(); set !== undefined; set = pending.pop()) {
    for (const selection of set.selections) {
      if (selection.kind === 'Field') fields.push(selection.name.value);
      else if (selection.kind === 'InlineFragment') pending.push(selection.selectionSet);
      // GraphQL merges the fields of a fragment that is spread twice.
      else if (!seen.has(selection.name.value)) {
        seen.add(selection.name.value);
        const spread = fragment(selection.name.value);
        if (spread) pending.push(spread.selectionSet);
      }
    }
  }
  return fields;
}
