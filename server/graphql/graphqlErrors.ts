import { ApolloServerErrorCode, unwrapResolverError } from '@apollo/server/errors';
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLFormattedError,
  isValueNode,
  Kind,
  Lexer,
  print,
  separateOperations,
  visit,
} from 'graphql';
import { codedErrorOf } from '../database/databaseErrors.ts';
import { INTERNAL_ERROR } from '../errors.ts';

/** Full introspection has up to 212 tokens. The cost of validation grows with their square. */
export const MAX_QUERY_TOKENS = 300;

const TOO_LONG = {
  message: `The query has more than ${MAX_QUERY_TOKENS} tokens`,
  extensions: { code: ApolloServerErrorCode.GRAPHQL_VALIDATION_FAILED },
};

const NO_PERSISTED_QUERIES = 'Send the operation as text in "query", and turn persisted queries off';

type ReceivedRequest = { document?: DocumentNode | undefined; operationName?: string | null | undefined };

/** Decides message and extensions of the errors of GraphQL operations. No message repeats a value that was sent. */
export function formatError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const coded = codedErrorOf(causeOf(error));
  if (coded !== null) {
    const { message, code, details } = coded;
    return { ...formatted, message, extensions: { code, ...details } };
  }
  const { extensions } = formatted;
  switch (extensions?.code) {
    case INTERNAL_ERROR.code: {
      const { message, code } = INTERNAL_ERROR;
      return { ...formatted, message, extensions: { code } };
    }
    case ApolloServerErrorCode.PERSISTED_QUERY_NOT_SUPPORTED:
      return { ...formatted, extensions: { ...extensions, advice: NO_PERSISTED_QUERIES } };
    case ApolloServerErrorCode.GRAPHQL_PARSE_FAILED:
      if (error instanceof GraphQLError && isTooLong(error)) return { ...formatted, ...TOO_LONG };
      return { ...formatted, message: `Syntax error at ${placeOf(formatted)}` };
    case ApolloServerErrorCode.OPERATION_RESOLUTION_FAILURE:
      return { ...formatted, message: 'Send as "operationName" the name of an operation of the query' };
  }
  return { ...formatted, message: withoutValue(formatted, error) };
}

/**
 * Gives the errors of refused variables the code `BAD_USER_INPUT` and the name of the argument. `formatError` cannot,
 * because it does not see the request.
 */
export function nameRefusedArguments(errors: readonly GraphQLError[], request: ReceivedRequest): void {
  for (const { extensions, nodes: [node] = [] } of errors) {
    const variable = node?.kind === Kind.VARIABLE_DEFINITION ? node.variable : node;
    if (variable?.kind !== Kind.VARIABLE || !isUserInput(extensions)) continue;
    extensions.code = ApolloServerErrorCode.BAD_USER_INPUT;
    extensions.argument = argumentWith(variable.name.value, request);
  }
}

export function causeOf(error: unknown): unknown {
  const cause = unwrapResolverError(error);
  const { originalError } = cause as { originalError?: unknown };
  return codedErrorOf(originalError) === null ? cause : originalError;
}

/** graphql-js reports a document of too many tokens as a syntax error at the first token beyond the limit. */
function isTooLong({ source, positions: [position = 0] = [] }: GraphQLError): boolean {
  if (source === undefined) return false;
  const lexer = new Lexer(source);
  try {
    let tokens = 0;
    while (lexer.advance().start < position) tokens += 1;
    return tokens === MAX_QUERY_TOKENS;
  } catch {
    return false;
  }
}

function withoutValue(formatted: GraphQLFormattedError, error: unknown): string {
  const node = error instanceof GraphQLError ? error.nodes?.[0] : undefined;
  if (node?.kind === Kind.VARIABLE_DEFINITION && isUserInput(formatted.extensions)) {
    return `Variable "$${node.variable.name.value}": send in "variables" a value of the type ${print(node.type)}`;
  }
  if (node === undefined || !isValueNode(node) || node.kind === Kind.VARIABLE) return formatted.message;
  return `The value at ${placeOf(formatted)} is not of its type, which schema.graphql describes`;
}

function placeOf({ locations: [location] = [] }: GraphQLFormattedError): string {
  return `line ${location?.line}, column ${location?.column}`;
}

function isUserInput(extensions: GraphQLFormattedError['extensions']): boolean {
  // Apollo Server gives no code to a null for a variable with a default.
  return extensions?.code === undefined || extensions.code === ApolloServerErrorCode.BAD_USER_INPUT;
}

function argumentWith(variable: string, { document, operationName }: ReceivedRequest): string | undefined {
  const operation = document && separateOperations(document)[operationName ?? ''];
  let argument: string | undefined;
  if (operation === undefined) return argument;
  visit(operation, {
    Argument({ name, value }) {
      visit(value, {
        Variable(used) {
          if (used.name.value === variable) argument ??= name.value;
        },
      });
    },
  });
  return argument;
}
