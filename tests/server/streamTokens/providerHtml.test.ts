import { describe, expect, test } from 'vitest';
import { tokenFromProviderPage } from '../../../server/streamTokens/providerHtml.ts';

const TOKEN =
  'c2VydmVyX3RpbWU9Ny80LzIwMjUgMzowNTowOSBQTSZoYXNoX3ZhbHVlPXdjd1I5SEtza1lQNlhBY2RxeTFBVHc9PSZ2YWxpZG1pbnV0ZXM9MjA=';
const ADDRESS = 'https://radio.example/mp3/icecast.audio?wmsAuthSign=';
const LINK = `<a href="${ADDRESS}${TOKEN}">Escuchar</a>`;
const DECOY = `<a href="${ADDRESS}decoy">No</a>`;
const PAGE_LIMIT_BYTES = 64 * 1024;

const tokenIn = (html: string) => tokenFromProviderPage(html, 'wmsAuthSign');

const GOOD: [sentence: string, html: string, token: string][] = [
  [
    'a whole page',
    `<!DOCTYPE html><html><head><title>Audio</title></head><body>${LINK}</body></html>`,
    TOKEN,
  ],
  ['a bare link', LINK, TOKEN],
  ['a link in single quotes', `<a href='${ADDRESS}${TOKEN}'>x</a>`, TOKEN],
  ['a link without quotes', `<a href=${ADDRESS}${TOKEN}>x</a>`, TOKEN],
  ['a link without quotes whose token ends in a slash', `<a href=${ADDRESS}ab/>x</a>`, 'ab/'],
  ['tag and attribute in upper case', `<A CLASS="b" HREF="${ADDRESS}${TOKEN}">x</A>`, TOKEN],
  ['other attributes around', `<a id=x data-href="/no" href="${ADDRESS}${TOKEN}" target=_blank>x</a>`, TOKEN],
  ['a link closed like XHTML', `<a href="${ADDRESS}${TOKEN}"/>`, TOKEN],
  ['spaces around the equals sign', `<a\n  href = "${ADDRESS}${TOKEN}"\n>x</a>`, TOKEN],
  ['white space around the address', `<a href="\n  ${ADDRESS}${TOKEN}\t\n">x</a>`, TOKEN],
  ['a greater-than sign in another attribute', `<a title="a > b" href="${ADDRESS}${TOKEN}">x</a>`, TOKEN],
  [
    'an href written in the text of another attribute',
    `<a title="href='/no'" href="${ADDRESS}ab">x</a>`,
    'ab',
  ],
  ['two hrefs: the first counts', `<a href="${ADDRESS}one" href="${ADDRESS}two">x</a>`, 'one'],
  ['a link after one whose attribute the parser throws on', `<a constructor=x href="/">x</a>${LINK}`, TOKEN],
  ['base64 with + / and padding, all kept', `<a href="${ADDRESS}a+b/c==">x</a>`, 'a+b/c=='],
  ['percent signs, not decoded', `<a href="${ADDRESS}ab%3D%2B">x</a>`, 'ab%3D%2B'],
  [
    'the padding as decimal and hexadecimal entities',
    `<a href="${ADDRESS}ab&#61;&#x3D;&#X3d;">x</a>`,
    'ab===',
  ],
  ['the equals sign of the parameter as an entity', `<a href="/live?wmsAuthSign&equals;ab">x</a>`, 'ab'],
  ['a quotation mark as an entity', `<a href="${ADDRESS}a&quot;b">x</a>`, 'a"b'],
  ['entities are decoded once only', `<a href="${ADDRESS}ab&amp;amp;c=1">x</a>`, 'ab&amp;c=1'],
  [
    'another parameter before, its ampersand an entity',
    `<a href="/live?a=1&amp;wmsAuthSign=${TOKEN}">x</a>`,
    TOKEN,
  ],
  ['another parameter before, its ampersand bare', `<a href="/live?a=1&wmsAuthSign=${TOKEN}">x</a>`, TOKEN],
  [
    'a bare ampersand that only looks like an entity',
    `<a href="${ADDRESS}ab&copy=1&sect=2">x</a>`,
    'ab&copy=1&sect=2',
  ],
  ['parameters after the token are part of it', `<a href="${ADDRESS}ab=&amp;b=2&c=3">x</a>`, 'ab=&b=2&c=3'],
  ['a fragment after the token is part of it', `<a href="${ADDRESS}ab#play">x</a>`, 'ab#play'],
  ['the parameter twice in one address', `<a href="/?wmsAuthSign=a&wmsAuthSign=b">x</a>`, 'a&wmsAuthSign=b'],
  [
    'a parameter that ends in the same letters before',
    `<a href="/?xwmsAuthSign=no&wmsAuthSign=yes">x</a>`,
    'yes',
  ],
  ['a relative address', `<a href="?wmsAuthSign=${TOKEN}">x</a>`, TOKEN],
  ['an address without scheme', `<a href="//radio.example/live?wmsAuthSign=${TOKEN}">x</a>`, TOKEN],
  ['a scheme in upper case', `<a href="HTTPS://radio.example/live?wmsAuthSign=${TOKEN}">x</a>`, TOKEN],
  ['other links before', `<a href="/">Inicio</a><a name=top></a><a href>-</a>${LINK}`, TOKEN],
  ['several links with a token: the first counts', `${LINK}${DECOY}`, TOKEN],
  ['a javascript: link before', `<a href="javascript:play('?wmsAuthSign=no')">x</a>${LINK}`, TOKEN],
  ['a data: link before', `<a href="data:text/html,?wmsAuthSign=no">x</a>${LINK}`, TOKEN],
  [
    'a javascript: link with a tab in its scheme before',
    `<a href="java\tscript:?wmsAuthSign=no">x</a>${LINK}`,
    TOKEN,
  ],
  ['a link in a comment before', `<!-- ${DECOY} -->${LINK}`, TOKEN],
  ['comments that close at once', `<!--><!--->${LINK}`, TOKEN],
  ['a link in a script before', `<SCRIPT type="text/x">"${DECOY}"</script >${LINK}`, TOKEN],
  ['a script with an open comment', `<script><!-- let a;</script>${LINK}`, TOKEN],
  ['a link in a style before', `<style>${DECOY}</style>${LINK}`, TOKEN],
  ['a link in a template before', `<template>${DECOY}</template>${LINK}`, TOKEN],
  ['a link in a textarea before', `<textarea>${DECOY}</textarea>${LINK}`, TOKEN],
  ['a link in the title before', `<title>${DECOY}</title>${LINK}`, TOKEN],
  ['a link in a CDATA section before', `<![CDATA[${DECOY}]]>${LINK}`, TOKEN],
  ['a script whose address has a greater-than sign before', `<script src="?a>b"></script>${LINK}`, TOKEN],
  ['an apostrophe in an attribute without quotes before', `<p title=it's>it's</p>${LINK}`, TOKEN],
  ['a quote before that never closes', `<p title="x>x</p><a href='${ADDRESS}${TOKEN}'>x</a>`, TOKEN],
  ['a token with a quotation mark', `<a href='${ADDRESS}a"b'>x</a>`, 'a"b'],
  ['a link in noscript, since we run no script', `<noscript>${LINK}</noscript>`, TOKEN],
  ['a link in preformatted text', `<pre>${LINK}</pre>`, TOKEN],
  ['a link in a table without closing tags', `<table><tr><td>a<td>${LINK}<tr>`, TOKEN],
  ['unclosed tags around', `<div><p><b><a href="/">Inicio<li>${LINK}`, TOKEN],
  ['closing tags that were never opened', `</div></b></a></p>${LINK}`, TOKEN],
  ['a link that is never closed', `<p><a href="${ADDRESS}${TOKEN}">Escuchar`, TOKEN],
  ['a byte order mark', `\uFEFF${LINK}`, TOKEN],
  ['letters that were no UTF-8', `<p>Audici\uFFFDn en espa\uFFFDol</p>${LINK}`, TOKEN],
  ['nul characters in the text', `<p>\0\0</p>${LINK}\0`, TOKEN],
  ['a token of 2048 characters', `<a href="${ADDRESS}${'a'.repeat(2048)}">x</a>`, 'a'.repeat(2048)],
];

const BAD: [sentence: string, html: string][] = [
  ['an empty page', ''],
  ['white space', ' \n\t'],
  ['a text', 'Servicio no disponible'],
  ['JSON', JSON.stringify({ url: `${ADDRESS}${TOKEN}` })],
  ['a page without a link', '<html><body><p>Mantenimiento</p></body></html>'],
  ['the address as text only', `<p>${ADDRESS}${TOKEN}</p>`],
  [
    'the address in an element that is no link',
    `<audio src="${ADDRESS}${TOKEN}"></audio><b href="${ADDRESS}a">x</b>`,
  ],
  ['the address in the head', `<link href="${ADDRESS}${TOKEN}" rel="preload">`],
  ['a link without the parameter', '<a href="https://radio.example/live">x</a>'],
  [
    'the address in an attribute that is not href',
    `<a data-href="${ADDRESS}ab" title='href="${ADDRESS}a"'>x</a>`,
  ],
  ['a parameter whose name only ends the same', '<a href="/live?xwmsAuthSign=ab">x</a>'],
  ['a parameter whose name only begins the same', '<a href="/live?wmsAuthSignature=ab">x</a>'],
  ['a parameter in another case', '<a href="/live?wmsauthsign=ab">x</a>'],
  ['the parameter in the path', '<a href="/live/wmsAuthSign=ab">x</a>'],
  ['the parameter without a value', '<a href="/live?wmsAuthSign">x</a>'],
  ['an ampersand that is an entity of an entity', '<a href="/live?a=1&amp;amp;wmsAuthSign=ab">x</a>'],
  ['an empty token', `<a href="${ADDRESS}">x</a>`],
  ['an empty token, although a later link has one', `<a href="${ADDRESS}">x</a>${LINK}`],
  ['a token with a space', `<a href="${ADDRESS}ab cd">x</a>`],
  ['a token with a line break', `<a href="${ADDRESS}ab\ncd">x</a>`],
  ['a token with a letter beyond ASCII', `<a href="${ADDRESS}señal">x</a>`],
  ['a token with a nul', `<a href="${ADDRESS}ab&#0;cd\0">x</a>`],
  ['a token of 2049 characters', `<a href="${ADDRESS}${'a'.repeat(2049)}">x</a>`],
  ['only a javascript: link', `<a href="javascript:play('?wmsAuthSign=ab')">x</a>`],
  ['only a data: link', '<a href="data:text/html,?wmsAuthSign=ab">x</a>'],
  ['a link to an app', '<a href="vlc://radio.example/?wmsAuthSign=ab">x</a>'],
  ['an address that is none', '<a href="https://[radio/?wmsAuthSign=ab">x</a>'],
  ['only a link in a comment', `<!-- ${LINK} -->`],
  ['only a link in a comment that never closes', `<!-- <p>No</p> ${LINK}`],
  ['only a link in a script', `<script>document.write('${LINK}')</script>`],
  ['only a link in a script that never closes', `<script>${LINK}`],
  ['only a link in a template', `<template>${LINK}</template>`],
  ['only a link in a textarea', `<textarea>${LINK}</textarea>`],
  ['a link cut off in its address', LINK.slice(0, 100)],
  ['a link cut off in its address without quotes', `<a href=${ADDRESS}${TOKEN}`],
  ['a link cut off behind its address', `<a href="${ADDRESS}${TOKEN}"`],
  ['a link whose quote never closes', `<a href="${ADDRESS}${TOKEN}>x</a>`],
  ['a link hidden in another attribute', `<div title='${LINK}'>x</div>`],
];

/** Shapes that a browser reads and we do not: docs/decisions/0027-provider-page.md. */
const NOT_READ: [sentence: string, html: string][] = [
  [
    'an attribute of the link is named like a member of every object',
    `<a constructor=x href="${ADDRESS}ab">x</a>`,
  ],
  ['an attribute before it holds the start of a comment', `<p title="<!--">x</p>${LINK}`],
  ['an attribute before it holds the start of a script', `<p title="<script>">x</p>${LINK}`],
  ['a quoted > is followed by an attribute without a space', `<a title="a>b"href="${ADDRESS}ab">x</a>`],
  ['the address holds the start of a declaration', `<a href="${ADDRESS}a<!b">x</a>`],
];

describe('the token of the provider page', () => {
  test.each(GOOD)('is found in %s', (_sentence, html, token) => {
    expect(tokenIn(html)).toBe(token);
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

/** Parts that make a reading slow when a page of the largest size repeats them. */
const HOSTILE: [sentence: string, part: string][] = [
  ['open comments', '<!--'],
  ['open CDATA sections', '<![CDATA['],
  ['scripts closed by halves', '<script></script'],
  ['comments that open where others close', '<<!---->!--'],
  ['unclosed elements', '<div>'],
  ['unclosed paragraphs and links', '<p><a>'],
  ['unclosed tables', '<table><tr><td>'],
  ['unclosed list items', '<li>&amp;<div>'],
  ['links that are closed by others', '<a href=x></b>'],
  ['many links', '<a href="/x?y=1&amp;z">t</a>'],
  ['open quotes', `<a href='"`],
  ['open tags', '<a '],
  ['open entities', '<a href="&#x&am'],
  ['links that carry it but are none', '<a href="javascript:?wmsAuthSign=x">'],
  ['signs of equality', '<a ='],
  ['quotes in attributes', `<a x="'`],
  ['comments in attributes', '<a x="x><!--"y &>'],
];

describe('a page made to be slow', () => {
  const pageOf = (part: string) => part.repeat(Math.floor((PAGE_LIMIT_BYTES - LINK.length) / part.length));

  test.each(HOSTILE)('holds nobody up: %s', (_sentence, part) => {
    const html = pageOf(part);
    const before = process.cpuUsage();
    expect(tokenIn(html)).toBeNull();
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(1_000);
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
