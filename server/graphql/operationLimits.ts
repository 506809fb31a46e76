import {
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionNode,
  type SelectionSetNode,
  type ValidationRule,
} from 'graphql';

type Extent = { depth: number; aliases: number; directives: number };

/** Sandbox's introspection is 18 deep; nothing else that can be asked here is deeper than 4, or needs an alias at all. */
export const EXTENT_LIMITS: Extent = { depth: 20, aliases: 10, directives: 10 };

/**
 * Nesting, aliases and directives are bounded, each fragment counted wherever it is spread: few tokens can otherwise ask for
 * millions of fields of the schema (docs/decisions/0012-costly-queries.md).
 */
export const boundedExtent: ValidationRule = (context) => {
  const ofFragments = new Map<string, Extent>();

  function extentOf(set: SelectionSetNode | undefined): Extent {
    const extents = set?.selections.map(extentOfSelection) ?? [];
    return {
      depth: Math.max(0, ...extents.map((one) => one.depth)),
      aliases: sum(extents.map((one) => one.aliases)),
      directives: sum(extents.map((one) => one.directives)),
    };
  }

  function extentOfSelection(node: SelectionNode): Extent {
    const inside =
      node.kind === Kind.FRAGMENT_SPREAD ? extentOfFragment(node.name.value) : extentOf(node.selectionSet);
    return {
      depth: inside.depth + 1,
      aliases: inside.aliases + (node.kind === Kind.FIELD && node.alias !== undefined ? 1 : 0),
      directives: inside.directives + (node.directives?.length ?? 0),
    };
  }

  function extentOfFragment(name: string): Extent {
    let extent = ofFragments.get(name);
    if (extent === undefined) {
      // Found again inside of itself it counts for nothing: GraphQL refuses such a cycle anyway.
      ofFragments.set(name, { depth: 0, aliases: 0, directives: 0 });
      extent = extentOf(context.getFragment(name)?.selectionSet);
      ofFragments.set(name, extent);
    }
    return extent;
  }

  return {
    OperationDefinition(operation) {
      const extent = extentOf(operation.selectionSet);
      for (const what of ['depth', 'aliases', 'directives'] as const) {
        if (extent[what] <= EXTENT_LIMITS[what]) continue;
        context.reportError(
          new GraphQLError(`The ${what} of an operation may be ${EXTENT_LIMITS[what]} at most`, {
            nodes: operation,
          }),
        );
      }
    },
  };
};

/**
 * A mutation does one thing: one request is one attempt to sign in, however many aliases or fragments it has
 * (OWASP GraphQL cheat sheet, "Batching Attacks").
 */
export const singleRootFieldPerMutation: ValidationRule = (context) => ({
  OperationDefinition(operation) {
    if (operation.operation !== OperationTypeNode.MUTATION) return;
    if (rootFields(operation, (name) => context.getFragment(name) ?? null).length > 1) {
      context.reportError(
        new GraphQLError('A mutation must have exactly one root field', { nodes: operation }),
      );
    }
  },
});

/** A page of tokens is the one thing here that grows: a request asks the database for one, whatever aliases it has. */
export const onePageOfTokens: ValidationRule = (context) => ({
  OperationDefinition(operation) {
    const fields = rootFields(operation, (name) => context.getFragment(name) ?? null);
    if (fields.filter((name) => name === 'tokens').length > 1) {
      context.reportError(new GraphQLError('An operation may ask for tokens once', { nodes: operation }));
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

/** The names of the fields that an operation asks for, as often as it does, in whatever fragments. */
export function rootFields(
  operation: OperationDefinitionNode,
  fragment: (name: string) => FragmentDefinitionNode | null,
): string[] {
  const fields: string[] = [];
  const seen = new Set<string>();
  const pending: SelectionSetNode[] = [operation.selectionSet];
  for (let set = pending.pop(); set !== undefined; set = pending.pop()) {
    for (const selection of set.selections) {
      if (selection.kind === 'Field') fields.push(selection.name.value);
      else if (selection.kind === 'InlineFragment') pending.push(selection.selectionSet);
      // A fragment spread twice is the same fields twice, which GraphQL merges into one.
      else if (!seen.has(selection.name.value)) {
        seen.add(selection.name.value);
        const spread = fragment(selection.name.value);
        if (spread !== null) pending.push(spread.selectionSet);
      }
    }
  }
  return fields;
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
