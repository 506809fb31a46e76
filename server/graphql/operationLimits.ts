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

/*
 * Kept as our own validation rules: graphql-armor's limits turn a syntax error into HTTP 500 and by default still allow
 * 15 logins in one request (docs/decisions/0012-costly-queries.md).
 */

type Extent = { depth: number; aliases: number; directives: number };

/** Sandbox's introspection is 18 deep. Nothing else in this schema is deeper than 4 or needs an alias. */
export const EXTENT_LIMITS: Extent = { depth: 20, aliases: 10, directives: 10 };

/**
 * Limits depth, aliases and directives, counting each fragment wherever it is spread. Otherwise a few tokens can ask for
 * millions of fields of the schema.
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
      // A fragment inside itself counts as nothing: GraphQL refuses such a cycle anyway.
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
 * Allows one root field in a mutation, so that one request is one attempt to sign in, whatever its aliases and fragments
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

/** Allows one page of tokens in an operation, the only field whose cost grows with the data, whatever its aliases. */
export const onePageOfTokens: ValidationRule = (context) => ({
  OperationDefinition(operation) {
    const fields = rootFields(operation, (name) => context.getFragment(name) ?? null);
    if (fields.filter((name) => name === 'tokens').length > 1) {
      context.reportError(new GraphQLError('An operation may ask for tokens once', { nodes: operation }));
    }
  },
});

/** Refuses subscriptions, which the schema lacks. GraphQL itself would fail during execution, as for a fault of the server. */
export const noSubscription: ValidationRule = (context) => ({
  OperationDefinition(operation) {
    if (operation.operation === OperationTypeNode.SUBSCRIPTION) {
      context.reportError(new GraphQLError('There are no subscriptions', { nodes: operation }));
    }
  },
});

/** Returns the names of an operation's root fields, repeated ones too, with those in fragments. */
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
      // GraphQL merges the fields of a fragment that is spread twice.
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
