import { ApolloServerErrorCode } from '@apollo/server/errors';
import {
  type DocumentNode,
  type GraphQLError,
  isValueNode,
  Kind,
  print,
  separateOperations,
  visit,
} from 'graphql';

type RefusedRequest = { document?: DocumentNode | undefined; operationName?: string | null | undefined };

/** A syntax error to graphql-js, although only this server's limit refuses the document. */
const TOO_LONG = /^Syntax Error: Document contains more tha[nt] (\d+) tokens/;

/**
 * Replaces GraphQL's messages that repeat what was sent, possibly a password, by fixed ones. Makes a refused variable
 * `BAD_USER_INPUT`, with the name of its argument.
 */
export function explainRefusedInput(errors: readonly GraphQLError[], request: RefusedRequest): void {
  for (const error of errors) {
    const { extensions, message, locations: [location] = [], nodes: [node] = [] } = error;
    const place = `line ${location?.line}, column ${location?.column}`;
    const [, maxTokens] = TOO_LONG.exec(message) ?? [];
    if (maxTokens !== undefined) {
      error.message = `The query has more than ${maxTokens} tokens`;
      extensions.code = ApolloServerErrorCode.GRAPHQL_VALIDATION_FAILED;
    } else if (extensions.code === ApolloServerErrorCode.GRAPHQL_PARSE_FAILED) {
      error.message = `Syntax error at ${place}`;
    } else if (extensions.code === ApolloServerErrorCode.OPERATION_RESOLUTION_FAILURE) {
      error.message = 'Send as "operationName" the name of an operation of the query';
    } else if (node?.kind === Kind.VARIABLE_DEFINITION && isUserInput(error)) {
      const name = node.variable.name.value;
      error.message = `Variable "$${name}": send in "variables" a value of the type ${print(node.type)}`;
      nameArgument(error, name, request);
    } else if (node?.kind === Kind.VARIABLE && isUserInput(error)) {
      nameArgument(error, node.name.value, request);
    } else if (node !== undefined && isValueNode(node) && node.kind !== Kind.VARIABLE) {
      error.message = `The value at ${place} is not of its type, which schema.graphql describes`;
    }
  }
}

function isUserInput({ extensions: { code } }: GraphQLError): boolean {
  // Apollo Server gives no code to a null for a variable with a default.
  return code === undefined || code === ApolloServerErrorCode.BAD_USER_INPUT;
}

function nameArgument(
  error: GraphQLError,
  variable: string,
  { document, operationName }: RefusedRequest,
): void {
  error.extensions.code = ApolloServerErrorCode.BAD_USER_INPUT;
  error.extensions.argument =
    document && argumentWith(variable, separateOperations(document)[operationName ?? '']);
}

function argumentWith(variable: string, operation: DocumentNode | undefined): string | undefined {
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
