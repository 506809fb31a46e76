import { type ASTNode, Kind, type TypeNode, type VariableDefinitionNode } from 'graphql';
import { withoutSentValue } from '../observing/loggedError.ts';

/** Says how to send a value of each scalar. */
const SCALARS: Record<string, string> = {
  Int: 'a whole number without quotation marks',
  String: 'text in quotation marks',
  ID: 'text in quotation marks',
  Boolean: 'true or false without quotation marks',
  DateTime: 'an instant such as "2026-11-20T18:30:00Z"',
};

const WRONG_VARIABLE =
  /^Variable "\$\w+" (?:got invalid value |.* was not provided\.$|.* must not be null\.$)/s;

/** Messages of Apollo Server that do not say what to send, and ours instead. */
const MESSAGES: ReadonlyArray<readonly [theirs: RegExp, ours: string]> = [
  [
    /^This operation has been blocked as a potential Cross-Site Request Forgery/,
    'Send the operation by POST, as JSON with "content-type: application/json" (urql: preferGetMethod: false), ' +
      'or a query by GET with "authorization: Bearer <jwt or key>"',
  ],
  [/^GET requests only support query operations/, 'Send mutations by POST'],
  [
    /^GET requests may not have a content-type/,
    'Send the operation by POST, as JSON with "content-type: application/json"',
  ],
  [/^POST body missing/, 'The body must be a JSON object such as {"query": "{ session { company } }"}'],
  [
    /^GraphQL operations must contain a non-empty `query`/,
    'Send the operation as text in "query", also a mutation, and its values in "variables"',
  ],
  [/^Operation batching disabled/, 'Send one operation in each request, not a list'],
  [/^GraphQL queries must be strings/, 'Send the operation as text in "query", not as an object or number'],
  [/^An 'accept' header was provided/, 'The answer is JSON: send "accept: application/json"'],
  [/^Must provide operation name/, 'The request holds several operations: name one in "operationName"'],
];

/**
 * Returns what a caller should send instead, or the message itself where it says so already, without the value that was sent.
 * Repeats only names that the caller wrote, so that it tells nothing of the schema.
 * @param message - of GraphQL or Apollo Server
 */
export function withAdvice(message: string, [node]: readonly ASTNode[] = []): string {
  const ours = MESSAGES.find(([theirs]) => theirs.test(message))?.[1];
  if (ours !== undefined) return ours;
  if (node?.kind === Kind.VARIABLE_DEFINITION && WRONG_VARIABLE.test(message))
    return ofVariable(message, node);
  const safe = withoutSentValue(message);
  const scalar = SCALARS[/^(\w+) cannot represent/.exec(safe)?.[1] ?? ''];
  if (scalar !== undefined) return `${safe}: send ${scalar}`;
  if (safe.startsWith('Enum ')) return `${safe}: send one of its values without quotation marks`;
  if (/^Cannot query field "\w+" on type "Query"/.test(safe)) {
    return `${safe} A mutation begins with the word mutation.`;
  }
  return safe;
}

/** Says how to send a variable, or the field of it that is wrong. A quotation mark in the sent value has a backslash before it. */
function ofVariable(message: string, { variable, type }: VariableDefinitionNode): string {
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
