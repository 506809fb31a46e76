import {
  type FragmentDefinitionNode,
  GraphQLError,
  OperationTypeNode,
  type SelectionSetNode,
  type ValidationRule,
} from 'graphql';

/**
 * A mutation does one thing: one request is one attempt to sign in, however many aliases or fragments it has
 * (OWASP GraphQL cheat sheet, "Batching Attacks").
 */
export const singleRootFieldPerMutation: ValidationRule = (context) => ({
  OperationDefinition(operation) {
    if (operation.operation !== OperationTypeNode.MUTATION) return;
    const fragment = (name: string) => context.getFragment(name) ?? null;
    if (hasSeveralFields(operation.selectionSet, fragment)) {
      context.reportError(
        new GraphQLError('A mutation must have exactly one root field', { nodes: operation }),
      );
    }
  },
});

/** The schema has no subscriptions; GraphQL itself finds that out only in executing, as if it were a failure of ours. */
export const noSubscription: ValidationRule = (context) => ({
  OperationDefinition(operation) {
    if (operation.operation === OperationTypeNode.SUBSCRIPTION) {
      context.reportError(new GraphQLError('There are no subscriptions', { nodes: operation }));
    }
  },
});

function hasSeveralFields(
  root: SelectionSetNode,
  fragment: (name: string) => FragmentDefinitionNode | null,
): boolean {
  let fields = 0;
  const seen = new Set<string>();
  const pending = [root];
  for (let set = pending.pop(); set !== undefined && fields <= 1; set = pending.pop()) {
    for (const selection of set.selections) {
      if (selection.kind === 'Field') fields += 1;
      else if (selection.kind === 'InlineFragment') pending.push(selection.selectionSet);
      // A fragment spread twice is the same fields twice, which GraphQL merges into one.
      else if (!seen.has(selection.name.value)) {
        seen.add(selection.name.value);
        const spread = fragment(selection.name.value);
        if (spread !== null) pending.push(spread.selectionSet);
      }
    }
  }
  return fields > 1;
}
