import { ApolloServerErrorCode } from '@apollo/server/errors';
import {
  type ASTNode,
  coerceInputValue,
  type DocumentNode,
  type GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  getNullableType,
  isInputObjectType,
  isInputType,
  isListType,
  isValueNode,
  Kind,
  separateOperations,
  TypeInfo,
  typeFromAST,
  type ValueNode,
  type VariableDefinitionNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';

type RefusedRequest = {
  schema: GraphQLSchema;
  document?: DocumentNode | undefined;
  operationName?: string | null | undefined;
  request: { variables?: Record<string, unknown> | undefined };
};

/** A syntax error to graphql-js, although only this server's limit refuses the document. */
const TOO_LONG = /^Syntax Error: Document contains more tha[nt] (\d+) tokens/;

const ADVICE: Record<string, string> = {
  Int: 'a whole number of at most 32 bits, without quotation marks',
  String: 'text in quotation marks',
  ID: 'text in quotation marks',
  Boolean: 'true or false without quotation marks',
  DateTime: 'an instant such as "2026-11-20T18:30:00Z"',
};

/**
 * Words errors of GraphQL about a request by their code and syntax node, since its own messages repeat values that were
 * sent, possibly passwords. Makes a refused variable `BAD_USER_INPUT`, with the name of its argument.
 */
export function explainRefusedInput(errors: readonly GraphQLError[], request: RefusedRequest): void {
  const advices = new Map<ASTNode, string[]>();
  for (const error of errors) {
    const { extensions, message, locations: [location] = [], nodes: [node] = [] } = error;
    const [, maxTokens] = TOO_LONG.exec(message) ?? [];
    if (maxTokens !== undefined) {
      error.message = `The query has more than ${maxTokens} tokens`;
      extensions.code = ApolloServerErrorCode.GRAPHQL_VALIDATION_FAILED;
    } else if (extensions.code === ApolloServerErrorCode.GRAPHQL_PARSE_FAILED) {
      error.message = `Syntax error at line ${location?.line}, column ${location?.column}`;
    } else if (extensions.code === ApolloServerErrorCode.OPERATION_RESOLUTION_FAILURE) {
      error.message = 'Send as "operationName" the name of an operation of the query';
    } else if (node?.kind === Kind.VARIABLE_DEFINITION && isUserInput(error)) {
      const advice = advices.get(node) ?? adviceOnVariable(node, request);
      advices.set(node, advice);
      error.message = `Variable "$${node.variable.name.value}"${advice.shift() ?? ''}`;
      nameArgument(error, node.variable.name.value, request);
    } else if (node?.kind === Kind.VARIABLE && isUserInput(error)) {
      nameArgument(error, node.name.value, request);
    } else if (node !== undefined && isValueNode(node) && node.kind !== Kind.VARIABLE) {
      error.message = adviceOnLiteral(node, request);
    }
  }
}

function isUserInput({ extensions: { code } }: GraphQLError): boolean {
  // Apollo Server gives no code to a null for a variable with a default.
  return code === undefined || code === ApolloServerErrorCode.BAD_USER_INPUT;
}

function adviceOnVariable(
  { variable, type: typeNode }: VariableDefinitionNode,
  { schema, request: { variables = {} } }: RefusedRequest,
): string[] {
  const name = variable.name.value;
  const type = typeFromAST(schema, typeNode);
  if (!isInputType(type)) return [];
  const advice: string[] = [];
  coerceInputValue(variables[name], type, (path) => {
    const place = path.length === 0 ? '' : `, at "${[name, ...path].join('.')}"`;
    advice.push(`${place}: send ${howToSend(typeAt(type, path))} in "variables"`);
  });
  return advice;
}

function typeAt(type: GraphQLInputType, path: readonly (string | number)[]): GraphQLInputType {
  return path.reduce<GraphQLInputType>((outer, segment) => {
    const nullable = getNullableType(outer);
    if (isListType(nullable)) return nullable.ofType;
    return (isInputObjectType(nullable) && nullable.getFields()[segment]?.type) || outer;
  }, type);
}

function howToSend(type: GraphQLInputType): string {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return `a list, each of it ${howToSend(nullable.ofType)}`;
  if (isInputObjectType(nullable))
    return `an object with these fields alone (${Object.keys(nullable.getFields()).join(', ')})`;
  return ADVICE[nullable.name] ?? `a value of ${nullable.name}`;
}

function adviceOnLiteral(literal: ValueNode, { schema, document }: RefusedRequest): string {
  let advice = 'A value is not of its type';
  if (document === undefined) return advice;
  const typeInfo = new TypeInfo(schema);
  let name = '';
  const visitor = visitWithTypeInfo(typeInfo, {
    enter(node) {
      if (node.kind === Kind.ARGUMENT || node.kind === Kind.OBJECT_FIELD) name = node.name.value;
      if (node.kind === Kind.VARIABLE_DEFINITION) name = `$${node.variable.name.value}`;
      const type = typeInfo.getInputType();
      if (node === literal && type) advice = `The value of "${name}": send ${howToSend(type)}`;
    },
  });
  visit(document, visitor);
  return advice;
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
