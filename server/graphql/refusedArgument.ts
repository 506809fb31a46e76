import { ApolloServerErrorCode } from '@apollo/server/errors';
import { type DocumentNode, type GraphQLError, Kind, separateOperations, visit } from 'graphql';

type OperationName = string | null | undefined;

/** Turns an error into a `BAD_USER_INPUT` that names the argument where GraphQL itself refused the value, before any resolver. */
export function nameRefusedArgument(
  error: GraphQLError,
  document: DocumentNode | undefined,
  operationName: OperationName,
): void {
  const variable = refusedVariable(error);
  if (document === undefined || variable === undefined) return;
  // A null for a variable with a default is an internal error to Apollo Server.
  error.extensions.code = ApolloServerErrorCode.BAD_USER_INPUT;
  error.extensions.argument = argumentWith(variable, document, operationName);
}

function refusedVariable({ extensions: { code }, nodes: [node] = [] }: GraphQLError): string | undefined {
  if (code !== undefined && code !== ApolloServerErrorCode.BAD_USER_INPUT) return undefined;
  if (node?.kind === Kind.VARIABLE_DEFINITION) return node.variable.name.value;
  return node?.kind === Kind.VARIABLE ? node.name.value : undefined;
}

function argumentWith(
  variable: string,
  document: DocumentNode,
  operationName: OperationName,
): string | undefined {
  const operation = separateOperations(document)[operationName ?? ''];
  if (operation === undefined) return undefined;
  let argument: string | undefined;
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
