import { type HTMLElement, parse } from 'node-html-parser';

const TOKEN = /^[\x21-\x7e]{1,2048}$/;

/**
 * Comments, and elements whose content a browser reads as text or keeps out of the document: a link inside
 * does not count. An unterminated one runs to the end of the page.
 */
const COMMENTS_AND_RAW_TEXT = new RegExp(
  [
    '<!--(?:-?>|[^]*?(?:--!?>|$))',
    '<[!?][^>]*>?',
    String.raw`<(script|style|template|textarea|title|iframe|noembed|noframes|xmp)(?=[\s/>])[^]*?(?:</\1(?=[\s/>])[^>]*>?|$)`,
  ].join('|'),
  'gi',
);

/** The page ends within an address (`href="https://…`), which the parser would read without its last character. */
const UNCLOSED_HREF = /\bhref\s*=\s*(?:"[^"]*|'[^']*)$/i;

/**
 * Returns the stream token in the media provider's page: everything after the auth-sign parameter in the `href` of the
 * first http or https link that carries it (specification, section 7), with entities decoded once, tabs, line ends and
 * outer blanks dropped, and nothing else changed. Returns null when no link carries it, or when the token is not 1 to
 * 2048 printable ASCII characters without spaces.
 */
export function tokenFromProviderPage(html: string, authSignParameter: string): string | null {
  for (const href of linksIn(html)) {
    const token = textAfterParameter(href, authSignParameter);
    if (token !== null && isWebAddress(href)) return TOKEN.test(token) ? token : null;
  }
  return null;
}

function linksIn(html: string): string[] {
  // Cuts off an unfinished tag at the end too: the parser would read half of its address.
  const markup = html.slice(0, html.lastIndexOf('>') + 1).replace(COMMENTS_AND_RAW_TEXT, ' ');
  return parse(markup, { parseNoneClosedTags: true, blockTextElements: {} })
    .getElementsByTagName('a')
    .map(hrefOf);
}

function hrefOf(link: HTMLElement): string {
  if (UNCLOSED_HREF.test(link.rawAttrs)) return '';
  try {
    // URL parsers drop these too, such as the line ends of base64.
    return (link.getAttribute('href') ?? '').replaceAll(/[\t\r\n]/g, '').trim();
  } catch {
    // The parser throws on an attribute that is named like a member of every object, such as `constructor`.
    return '';
  }
}

function textAfterParameter(href: string, parameter: string): string | null {
  const starts = [href.indexOf(`?${parameter}=`), href.indexOf(`&${parameter}=`)].filter((at) => at !== -1);
  return starts.length === 0 ? null : href.slice(Math.min(...starts) + parameter.length + 2);
}

function isWebAddress(href: string): boolean {
  const base = 'http://relative.invalid';
  return URL.canParse(href, base) && /^https?:$/.test(new URL(href, base).protocol);
}
