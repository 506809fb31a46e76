import { type ASTNode, Kind, type TypeNode, type VariableDefinitionNode } from 'graphql';
import { withoutSentValue } from '../observing/sentValues.ts';

const SCALARS: Record<string, string> = {
  Int: 'a whole number without quotation marks',
  String: 'text in quotation marks',
  ID: 'text in quotation marks',
  Boolean: 'true or false without quotation marks',
  DateTime: 'an instant such as "2026-11-20T18:30:00Z"',
};

const WRONG_VARIABLE =
  /^Variable "\$\w+" (?:got invalid value |.* was not provided\.$|.* must not be null\.$)/s;

/**
 * Returns a message of GraphQL or Apollo Server without the value that was sent; for a wrong variable, how to send it. Repeats only
 * names that the caller wrote, so that it tells nothing of the schema.
 */
export function withAdvice(message: string, [node]: readonly ASTNode[] = []): string {
  if (node?.kind !== Kind.VARIABLE_DEFINITION || !WRONG_VARIABLE.test(message))
    return withoutSentValue(message);
  return variableAdvice(message, node);
}

/** No pattern matches within the sent value, because its quotation marks are escaped in the message. */
function variableAdvice(message: string, { variable, type }: VariableDefinitionNode): string {
  const name = `Variable "$${variable.name.value}"`;
  const unknownField = /; Field "(\w+)" is not defined by type /.exec(message)?.[1];
  if (unknownField !== undefined) return `${name}: leave out "${unknownField}", it has no such field`;
  const place = / at "([\w.[\]]+)"; /.exec(message)?.[1];
  if (place === undefined) return `${name}: send ${howToSend(type)} in "variables"`;
  const scalar = /.*; (\w+) cannot represent /s.exec(message)?.[1] ?? '';
  return `${name}, at "${place}": send ${SCALARS[scalar] ?? 'a value of the type that the schema names'}`;
}

function howToSend(type: TypeNode): string {
  if (type.kind === Kind.NON_NULL_TYPE) return howToSend(type.type);
  if (type.kind === Kind.LIST_TYPE) return `a list, each of it ${howToSend(type.type)}`;
  return SCALARS[type.name.value] ?? `a value of type ${type.name.value}`;
}
