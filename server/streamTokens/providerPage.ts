import { type HTMLElement, parse } from 'node-html-parser';

const TOKEN = /^[\x21-\x7e]{1,2048}$/;

/** Comments, and elements whose content is text to a browser, or in no document: links in there are none. */
const NO_MARKUP =
  /<!--(?:-?>|[\s\S]*?(?:--!?>|$))|<[!?][^>]*>?|<(script|style|template|textarea|title|iframe|noembed|noframes|xmp)(?=[\s/>])[^>]*>?[\s\S]*?(?:<\/\1(?=[\s/>])[^>]*>?|$)/gi;

const ATTRIBUTE = /([^\s"'>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']\S*)))?/g;

/**
 * The stream token in the media provider's page: everything after the auth-sign parameter in the `href` of the first
 * link that carries it (specification, section 7), entities decoded once and nothing else changed.
 * `null` when no link carries it, or when what follows is not 1 to 2048 printable ASCII characters without spaces.
 *
 * Takes time linear in the page's length, whatever the page.
 */
export function tokenFromProviderPage(html: string, authSignParameter: string): string | null {
  for (const link of linksIn(html)) {
    const href = hrefOf(link);
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

function linksIn(html: string): HTMLElement[] {
  // The parser is quadratic on comments and unclosed tags, unless it meets none of the former and repairs none of the latter.
  const markup = html.replace(NO_MARKUP, ' ');
  const root = parse(markup, { parseNoneClosedTags: true, fixNestedATags: true, blockTextElements: {} });
  return root.getElementsByTagName('a');
}

/** The parser's own reading throws on an attribute `constructor` and cuts a value whose quote never closes. */
function hrefOf(link: HTMLElement): string {
  for (const [, name, doubleQuoted, singleQuoted, unquoted] of link.rawAttrs.matchAll(ATTRIBUTE)) {
    if (name?.toLowerCase() !== 'href') continue;
    const encoded = doubleQuoted ?? singleQuoted ?? unquoted ?? '';
    return (link.setAttributes({ href: encoded }).getAttribute('href') ?? '').trim();
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
