const times = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => part(i)).join(' ');

const nested = (levels: number, open: string, inside: string) =>
  open.repeat(levels) + inside + '}'.repeat(levels);

/** Requests that are small to send and costly to answer or to refuse. Most have about as many tokens as are allowed. */
export const COSTLY_QUERIES: Record<string, string> = {
  '11 aliases': `{ ${times(11, (i) => `a${i}: session { id }`)} }`,
  '80 aliases': `{ ${times(80, (i) => `a${i}: session { id }`)} }`,
  'aliases in a fragment that is spread twice': `{ ...F ...F } fragment F on Query { ${times(6, (i) => `a${i}: session { id }`)} }`,
  'aliases of lists in lists': `{ __schema { ${times(4, (i) => `a${i}: types { ...T }`)} } }
    fragment T on __Type { ${times(10, (i) => `a${i}: fields { ...F }`)} }
    fragment F on __Field { ${times(10, (i) => `a${i}: type { ...N }`)} }
    fragment N on __Type { ${times(10, (i) => `a${i}: name`)} }`,
  '11 directives': `{ ${times(11, (i) => `session @include(if: ${i > 0}) { id }`)} }`,
  'one directive 70 times': `{ session ${'@skip(if: true) '.repeat(70)} { id } }`,
  '240 unknown directives': `{ session ${'@a '.repeat(240)} { id } }`,
  '160 fields deep': nested(160, '{ session ', '{ id }'),
  '160 inline fragments deep': `{ ${nested(160, '... { ', '__typename')} }`,
  '44 fragments deep, each spread twice': `{ ...F0 } ${times(43, (i) => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`)}
    fragment F43 on Query { __typename }`,
  'introspection 44 fragments deep': `{ __schema { ...F0 } }
    ${times(43, (i) => `fragment F${i} on __Schema { ...F${i + 1} ...F${i + 1} }`)} fragment F43 on __Schema { description }`,
  'introspection of types of fields of types':
    `{ __schema { types { ${nested(3, 'fields { type { ', 'name }')} } } }`.replace('name } }', 'name }'),
  'introspection 150 deep': `{ __schema { types { ${nested(150, 'ofType { ', 'name')} } } }`,
  'two pages of tokens': '{ tokens { edges { cursor } } older: tokens(first: 100) { edges { cursor } } }',
  'two pages of tokens in fragments': `{ ...F ...G } fragment F on Query { tokens { edges { cursor } } }
    fragment G on Query { older: tokens { edges { cursor } } }`,
  'a fragment that spreads itself': '{ ...F } fragment F on Query { ...F session { id } }',
  '14 fragments that all spread each other': `{ ...F0 } ${times(14, (i) => `fragment F${i} on Query { ${times(14, (j) => `...F${j}`)} }`)}`,
  '490 unknown fields': `{ ${times(490, (i) => `x${i}`)} }`,
  'one unknown field 490 times': `{ ${'x '.repeat(490)} }`,
  '60 operations, none chosen': times(60, (i) => `query Q${i} { session { id } }`),
  '60 operations of one name': 'query Q { session { id } } '.repeat(60),
  '120 unused variables': `query (${times(120, (i) => `$v${i}: ID`)}) { __typename }`,
  '160 unknown arguments': `mutation { login(${times(160, (i) => `a${i}: "x"`)}) { id } }`,
  'a list 230 deep': `mutation { login(username: ${'['.repeat(230)}${']'.repeat(230)}, password: "x") { id } }`,
  'an object 120 deep': `mutation { login(username: ${nested(120, '{ a: ', '1')}, password: "x") { id } }`,
  'one field 10,000 times': `{ session { ${'id '.repeat(5_000)} } }`,
  '501 tokens': `{ session { ${'id '.repeat(496)} } }`,
  '15,000 braces': '{'.repeat(15_000),
  '7,500 quotation marks': '"'.repeat(7_500),
  'a comment of 15 kB': `#${'x'.repeat(15_000)}`,
  'a block string of 15 kB': `{ session(x: """${' \n'.repeat(3_800)}""") { id } }`,
  'a name of 15 kB': `{ ${'x'.repeat(15_000)} }`,
};

/** The costliest queries found that are within the limits. */
export const HEAVY_QUERIES: Record<string, string> = {
  'one field 490 times': `{ session { ${'id '.repeat(490)} } }`,
  'one object 124 times': `{ ${'session { id } '.repeat(124)} }`,
  '18 fragments that spread all after them': `{ ...F0 }
    ${times(18, (i) => `fragment F${i} on Query { __typename ${times(18 - i, (j) => `...F${i + j + 1}`)} }`)}
    fragment F18 on Query { __typename }`,
};
