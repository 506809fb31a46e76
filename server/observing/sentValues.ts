/** Cuts the value that was sent, possibly a password, off a message of GraphQL. */
export function withoutSentValue(message: string): string {
  return message
    .replace(/(got invalid value) .*/s, '$1')
    .replace(/Unknown operation named .*/s, 'The request holds no operation of the name in operationName')
    .replace(/(DateTime cannot represent (?:an invalid date-time-string|non string or Date type)) .*/s, '$1')
    .replace(/(cannot represent [^:]*): .*/s, '$1')
    .replace(/(Expected value of type "\w+"), found .*/s, '$1')
    .replace(/((?:found|Unexpected) (?:Name|Int|Float|(?:Block)?String|Comment)) ".*/s, '$1');
}
