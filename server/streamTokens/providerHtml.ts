import { parse } from 'node-html-parser';

const TOKEN = /^[\x21-\x7e]{1,2048}$/;

/** What stands in a tag behind its name: a `>` in quotes does not end it, quotes that never close are none. */
const INSIDE_TAG = String.raw`(?:[^>=]+|=\s*(?:"[^"]*"|'[^']*')?)*`;

/** Comments, elements whose content is text to a browser or in no document (links in there are none), other tags. */
const MARKUP = new RegExp(
  [
    '<!--(?:-?>|[^]*?(?:--!?>|$))',
    '<[!?][^>]*>?',
    String.raw`<(script|style|template|textarea|title|iframe|noembed|noframes|xmp)(?=[\s/>])${INSIDE_TAG}>?[^]*?(?:</\1(?=[\s/>])[^>]*>?|$)`,
    `</?[a-z]${INSIDE_TAG}>?`,
  ].join('|'),
  'gi',
);

const LINK = /^<a\s[\s\S]*>$/i;

const ENTITIES: Record<string, string> = { '"': '&quot;', '<': '&lt;', '>': '&gt;' };

const ATTRIBUTE = /([^\s"'>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']\S*)))?/g;

/**
 * The stream token in the media provider's page: everything after the auth-sign parameter in the `href` of the first
 * link that carries it (specification, section 7), entities decoded once and nothing else changed.
 * `null` when no link carries it, or when what follows is not 1 to 2048 printable ASCII characters without spaces.
 *
 * Takes time linear in the page's length, whatever the page.
 */
export function tokenFromProviderPage(html: string, authSignParameter: string): string | null {
  for (const href of linksIn(html, authSignParameter)) {
    const token = textAfterParameter(href, authSignParameter);
    if (token !== null && isWebAddress(href)) return TOKEN.test(token) ? token : null;
  }
  return null;
}

/**
 * The name of the auth-sign parameter, which a stream base address must end in: `wmsAuthSign` for
 * `https://radio.example/live?wmsAuthSign=`. `null` when the address does not end in `?<name>=` or `&<name>=`.
 */
export function authSignParameterOf(streamBaseUrl: string): string | null {
  return /^[^#]*[?&]([^?&=#\s]+)=$/.exec(streamBaseUrl)?.[1] ?? null;
}

/** The addresses that may carry the parameter, decoded, in the page's order. */
function linksIn(html: string, parameter: string): string[] {
  const mayCarry = (encoded: string) =>
    encoded.length >= `?${parameter}=`.length && (encoded.includes(parameter) || encoded.includes('&'));
  const links = (html.match(MARKUP) ?? [])
    .filter((tag) => LINK.test(tag))
    .map(encodedHrefOf)
    .filter(mayCarry)
    .map((encoded) => `<a href="${encoded.replace(/["<>]/g, (mark) => ENTITIES[mark] ?? mark)}"></a>`);
  // The parser is slow on many elements, quadratic on comments and throws on some attributes: it meets none of them.
  return parse(links.join(''))
    .getElementsByTagName('a')
    .map((link) => (link.getAttribute('href') ?? '').trim());
}

function encodedHrefOf(tag: string): string {
  for (const [, name, doubleQuoted, singleQuoted, unquoted] of tag.slice(2, -1).matchAll(ATTRIBUTE)) {
    if (name?.toLowerCase() === 'href') return doubleQuoted ?? singleQuoted ?? unquoted ?? '';
  }
  return '';
}

function textAfterParameter(href: string, parameter: string): string | null {
  const starts = [href.indexOf(`?${parameter}=`), href.indexOf(`&${parameter}=`)].filter((at) => at !== -1);
  return starts.length === 0 ? null : href.slice(Math.min(...starts) + parameter.length + 2);
}

function isWebAddress(href: string): boolean {
  const base = 'http://relative.invalid';
  return URL.canParse(href, base) && /^https?:$/.test(new URL(href, base).protocol);
}
