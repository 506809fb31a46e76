import { describe, expect, test } from 'vitest';
import { tokenFromProviderPage } from '../../../server/streamTokens/providerHtml.ts';

const TOKEN =
  'c2VydmVyX3RpbWU9Ny80LzIwMjUgMzowNTowOSBQTSZoYXNoX3ZhbHVlPXdjd1I5SEtza1lQNlhBY2RxeTFBVHc9PSZ2YWxpZG1pbnV0ZXM9MjA=';
const ADDRESS = 'https://radio.example/mp3/icecast.audio?wmsAuthSign=';
const SIGNED = ADDRESS + TOKEN;
const LINK = `<a href="${SIGNED}">Escuchar</a>`;
const DECOY = `<a href="${ADDRESS}decoy">No</a>`;
const PAGE_LIMIT_BYTES = 64 * 1024;

const tokenIn = (html: string) => tokenFromProviderPage(html, 'wmsAuthSign');

/** Pages whose token is `TOKEN`. */
const PAGES: [sentence: string, html: string][] = [
  ['a whole page', `<!DOCTYPE html><html><head><title>Audio</title></head><body>${LINK}</body></html>`],
  ['a link in single quotes', `<a href='${SIGNED}'>x</a>`],
  ['a link without quotes', `<a href=${SIGNED}>x</a>`],
  ['tag and attribute in upper case', `<A CLASS="b" HREF="${SIGNED}">x</A>`],
  ['other attributes around', `<a id=x data-href="/no" href="${SIGNED}" target=_blank>x</a>`],
  ['spaces around the equals sign', `<a\n  href = "${SIGNED}"\n>x</a>`],
  ['white space around the address', `<a href="\n  ${SIGNED}\t\n">x</a>`],
  ['a greater-than sign in another attribute', `<a title="a > b" href="${SIGNED}">x</a>`],
  ['two hrefs: the first counts', `<a href="${SIGNED}" href="${ADDRESS}two">x</a>`],
  ['another parameter before, its ampersand an entity', `<a href="/?a=1&amp;wmsAuthSign=${TOKEN}">x</a>`],
  ['another parameter before, its ampersand bare', `<a href="/?a=1&wmsAuthSign=${TOKEN}">x</a>`],
  ['a parameter that ends the same before', `<a href="/?xwmsAuthSign=no&wmsAuthSign=${TOKEN}">x</a>`],
  ['an address without scheme', `<a href="//radio.example/live?wmsAuthSign=${TOKEN}">x</a>`],
  ['other links before', `<a href="/">Inicio</a><a name=top></a><a href>-</a>${LINK}`],
  ['several links with a token: the first counts', `${LINK}${DECOY}`],
  ['a link before whose attribute the parser throws on', `<a constructor=x href="/">x</a>${LINK}`],
  ['a javascript: link before', `<a href="javascript:play('?wmsAuthSign=no')">x</a>${LINK}`],
  ['a link with a tab in its scheme before', `<a href="java\tscript:?wmsAuthSign=no">x</a>${LINK}`],
  ['a link in a comment before', `<!-- ${DECOY} -->${LINK}`],
  ['comments that close at once', `<!--><!--->${LINK}`],
  ['a link in a script before', `<SCRIPT type="text/x">"${DECOY}"</script >${LINK}`],
  ['a script with an open comment', `<script><!-- let a;</script>${LINK}`],
  ['a script whose address has a greater-than sign before', `<script src="?a>b"></script>${LINK}`],
  ...['style', 'template', 'textarea', 'title', 'iframe', 'noembed', 'noframes', 'xmp'].map(
    (name): [string, string] => [`a link in ${name} before`, `<${name}>${DECOY}</${name}>${LINK}`],
  ),
  ['a link in a CDATA section before', `<![CDATA[${DECOY}]]>${LINK}`],
  ['an apostrophe in an attribute without quotes before', `<p title=it's>it's</p>${LINK}`],
  ['a quote before that never closes', `<p title="x>x</p><a href='${SIGNED}'>x</a>`],
  ['a link in noscript, since we run no script', `<noscript>${LINK}</noscript>`],
  ['a link in a table without closing tags', `<table><tr><td>a<td>${LINK}<tr>`],
  ['unclosed tags around', `<div><p><b><a href="/">Inicio<li>${LINK}`],
  ['closing tags that were never opened', `</div></b></a></p>${LINK}`],
  ['a link that is never closed', `<p><a href="${SIGNED}">Escuchar`],
  ['a byte order mark', `\uFEFF${LINK}`],
  ['letters that were no UTF-8, and nul characters', `<p>Audici\uFFFDn\0\0</p>${LINK}\0`],
];

/** The text after the parameter in an href, and the token read from it. */
const TOKENS: [sentence: string, written: string, token: string][] = [
  ['base64 with + / and padding, all kept', 'a+b/c==', 'a+b/c=='],
  ['percent signs, not decoded', 'ab%3D%2B', 'ab%3D%2B'],
  ['padding as decimal and hexadecimal entities', 'ab&#61;&#x3D;&#X3d;', 'ab==='],
  ['a quotation mark as an entity', 'a&quot;b', 'a"b'],
  ['entities, decoded once only', 'ab&amp;amp;c=1', 'ab&amp;c=1'],
  ['further parameters, which are part of it', 'ab=&amp;b=2&c=3', 'ab=&b=2&c=3'],
  ['a fragment, which is part of it', 'ab#play', 'ab#play'],
  ['the parameter a second time', 'a&wmsAuthSign=b', 'a&wmsAuthSign=b'],
  ['2048 characters', 'a'.repeat(2048), 'a'.repeat(2048)],
];

const BAD: [sentence: string, html: string][] = [
  ['an empty page', ''],
  ['JSON', JSON.stringify({ url: SIGNED })],
  ['the address as text only', `<p>${SIGNED}</p>`],
  ['the address in elements that are no links', `<audio src="${SIGNED}"></audio><link href="${SIGNED}">`],
  ['an attribute that is not href', `<a data-href="${ADDRESS}ab" title='href="${ADDRESS}a"'>x</a>`],
  ['a parameter whose name only ends the same', '<a href="/live?xwmsAuthSign=ab">x</a>'],
  ['a parameter whose name only begins the same', '<a href="/live?wmsAuthSignature=ab">x</a>'],
  ['a parameter in another case', '<a href="/live?wmsauthsign=ab">x</a>'],
  ['the parameter in the path', '<a href="/live/wmsAuthSign=ab">x</a>'],
  ['the parameter without a value', '<a href="/live?wmsAuthSign">x</a>'],
  ['an ampersand that is an entity of an entity', '<a href="/live?a=1&amp;amp;wmsAuthSign=ab">x</a>'],
  ['an empty token, although a later link has one', `<a href="${ADDRESS}">x</a>${LINK}`],
  ['a token with a space', `<a href="${ADDRESS}ab cd">x</a>`],
  ['a token with a line break', `<a href="${ADDRESS}ab\ncd">x</a>`],
  ['a token with a letter beyond ASCII', `<a href="${ADDRESS}señal">x</a>`],
  ['a token with a nul', `<a href="${ADDRESS}ab&#0;cd\0">x</a>`],
  ['a token of 2049 characters', `<a href="${ADDRESS}${'a'.repeat(2049)}">x</a>`],
  ['only a javascript: link', `<a href="javascript:play('?wmsAuthSign=ab')">x</a>`],
  ['a link to an app', '<a href="vlc://radio.example/?wmsAuthSign=ab">x</a>'],
  ['only a link in a comment that never closes', `<!-- <p>No</p> ${LINK}`],
  ['only a link in a script that never closes', `<script>${LINK}`],
  ['a link cut off in its address', LINK.slice(0, 100)],
  ['a link cut off behind its address', `<a href="${SIGNED}"`],
  ['a link whose quote never closes', `<a href="${SIGNED}>x</a>`],
  ['a link hidden in another attribute', `<div title='${LINK}'>x</div>`],
];

/** Shapes that a browser reads and we do not: docs/decisions/0027-provider-page.md. */
const NOT_READ: [sentence: string, html: string][] = [
  [
    'the link has an attribute named like a member of every object',
    `<a constructor=x href="${SIGNED}">x</a>`,
  ],
  ['an attribute before it holds the start of a comment', `<p title="<!--">x</p>${LINK}`],
  ['an attribute before it holds the start of a script', `<p title="<script>">x</p>${LINK}`],
  ['a quoted > is followed by an attribute without a space', `<a title="a>b"href="${SIGNED}">x</a>`],
  ['the address holds the start of a declaration', `<a href="${ADDRESS}a<!b">x</a>`],
];

/** Parts that make a reading slow when a page of the largest size repeats them. */
const HOSTILE: [sentence: string, part: string][] = [
  ['open comments', '<!--'],
  ['open CDATA sections', '<![CDATA['],
  ['comments that open where others close', '<<!---->!--'],
  ['unclosed elements', '<div>'],
  ['unclosed tables', '<table><tr><td>'],
  ['links that are closed by others', '<a href=x></b>'],
  ['many links', '<a href="/x?y=1&amp;z">t</a>'],
  ['open quotes', `<a href='"`],
  ['open tags', '<a '],
  ['open entities', '<a href="&#x&am'],
  ['links that carry it but are none', '<a href="javascript:?wmsAuthSign=x">'],
  ['quotes in attributes', `<a x="'`],
  ['comments in attributes', '<a x="x><!--"y &>'],
];

describe('the token of the provider page', () => {
  test.each(PAGES)('is found in %s', (_sentence, html) => {
    expect(tokenIn(html)).toBe(TOKEN);
  });

  test.each(TOKENS)('may have %s', (_sentence, written, token) => {
    expect(tokenIn(`<a href="${ADDRESS}${written}">x</a>`)).toBe(token);
  });

  test('ends in a slash where the link without quotes does', () => {
    expect(tokenIn(`<a href=${ADDRESS}ab/>x</a>`)).toBe('ab/');
  });

  test.each(BAD)('is not found in %s', (_sentence, html) => {
    expect(tokenIn(html)).toBeNull();
  });

  test.each(NOT_READ)('is not read where %s', (_sentence, html) => {
    expect(tokenIn(html)).toBeNull();
  });

  test('follows the parameter that is asked for, whatever its letters', () => {
    const html = '<a href="/live?a.b=1&amp;copy=2&amp;reg[x]=3">x</a>';
    expect(tokenFromProviderPage(html, 'reg[x]')).toBe('3');
    expect(tokenFromProviderPage(html, 'copy')).toBe('2&reg[x]=3');
    expect(tokenFromProviderPage(html, 'aXb')).toBeNull();
  });
});

describe('a page made to be slow', () => {
  const pageOf = (part: string, bytes = PAGE_LIMIT_BYTES) =>
    part.repeat(Math.floor((bytes - LINK.length) / part.length));
  const TIMES_AS_LONG = 16;

  /** The processor time of reading a page. */
  function msFor(html: string): number {
    const before = process.cpuUsage();
    expect(tokenIn(html)).toBeNull();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  }

  test.each(HOSTILE)('takes time in proportion to its length: %s', (_sentence, part) => {
    const short = Math.max(1, ...[1, 2, 3].map(() => msFor(pageOf(part))));
    const long = msFor(pageOf(part, TIMES_AS_LONG * PAGE_LIMIT_BYTES));
    // Reading that takes the square of its length would take 256 times as long.
    expect(long / short).toBeLessThan(4 * TIMES_AS_LONG);
  });

  test('still gives its token when the link stands at its end', () => {
    for (const part of [
      '<div>',
      '<p><b>',
      '</i>',
      '<a href="/">x</a>',
      '<table><tr><td>',
      '&amp;',
      '<!---->',
    ]) {
      expect(tokenIn(pageOf(part) + LINK)).toBe(TOKEN);
    }
  });
});
