import { expect, test } from 'vitest';
import { tokenFromProviderPage } from '../../../server/streamTokens/providerHtml.ts';

const TOKEN =
  'c2VydmVyX3RpbWU9Ny80LzIwMjUgMzowNTowOSBQTSZoYXNoX3ZhbHVlPXdjd1I5SEtza1lQNlhBY2RxeTFBVHc9PSZ2YWxpZG1pbnV0ZXM9MjA=';
const ADDRESS = 'https://radio.example/mp3/icecast.audio?wmsAuthSign=';
const SIGNED = ADDRESS + TOKEN;
const LINK = `<a href="${SIGNED}">Escuchar</a>`;
const DECOY = `<a href="${ADDRESS}decoy">No</a>`;

const tokenIn = (html: string) => tokenFromProviderPage(html, 'wmsAuthSign');

test.each<[sentence: string, html: string]>([
  ['white space around the address', `<a href="\n  ${SIGNED}\t\n">x</a>`],
  ["base64's line ends in it", `<a href="${SIGNED.replace(/.{76}/g, '$&\r\n')}">x</a>`],
  ['tabs and line ends as entities', `<a href="/?wms&Tab;Auth&#10;Sign=&#xd;${TOKEN}">x</a>`],
  ['another parameter before, its ampersand an entity', `<a href="/?a=1&amp;wmsAuthSign=${TOKEN}">x</a>`],
  ['a parameter that ends the same before', `<a href="/?xwmsAuthSign=no&wmsAuthSign=${TOKEN}">x</a>`],
  ['an address without scheme', `<a href="//radio.example/live?wmsAuthSign=${TOKEN}">x</a>`],
  ['several links with a token: the first counts', `${LINK}${DECOY}`],
  ['a link before whose attribute the parser throws on', `<a constructor=x href="/">x</a>${LINK}`],
  ['a javascript: link before', `<a href="javascript:play('?wmsAuthSign=no')">x</a>${LINK}`],
  ['a link in a comment before', `<!-- ${DECOY} -->${LINK}`],
  ['a link in a script before', `<SCRIPT type="text/x">"${DECOY}"</script >${LINK}`],
  ...['style', 'template', 'textarea', 'title', 'iframe', 'noembed', 'noframes', 'xmp'].map(
    (name): [string, string] => [`a link in ${name} before`, `<${name}>${DECOY}</${name}>${LINK}`],
  ),
  ['a link in a CDATA section before', `<![CDATA[${DECOY}]]>${LINK}`],
  ['a link in noscript, since we run no script', `<noscript>${LINK}</noscript>`],
  ['unclosed tags around', `<div><p><b><a href="/">Inicio<li>${LINK}`],
  ['a link that is never closed', `<p><a href="${SIGNED}">Escuchar`],
])('the token is found in %s', (_sentence, html) => {
  expect(tokenIn(html)).toBe(TOKEN);
});

test.each([
  ['base64 with + / and padding, all kept', 'a+b/c==', 'a+b/c=='],
  ['entities, decoded once only', 'ab&amp;amp;c=1', 'ab&amp;c=1'],
  ['further parameters, which are part of it', 'ab=&amp;b=2&c=3', 'ab=&b=2&c=3'],
  ['2048 characters', 'a'.repeat(2048), 'a'.repeat(2048)],
])('a token may have %s', (_sentence, written, token) => {
  expect(tokenIn(`<a href="${ADDRESS}${written}">x</a>`)).toBe(token);
});

test.each([
  ['the address as text only', `<p>${SIGNED}</p>`],
  ['a parameter whose name only ends the same', '<a href="/live?xwmsAuthSign=ab">x</a>'],
  ['an ampersand that is an entity of an entity', '<a href="/live?a=1&amp;amp;wmsAuthSign=ab">x</a>'],
  ['an empty token, although a later link has one', `<a href="${ADDRESS}">x</a>${LINK}`],
  ['a token with a space', `<a href="${ADDRESS}ab cd">x</a>`],
  ['a token with a letter beyond ASCII', `<a href="${ADDRESS}señal">x</a>`],
  ['a token of 2049 characters', `<a href="${ADDRESS}${'a'.repeat(2049)}">x</a>`],
  ['only a javascript: link', `<a href="javascript:play('?wmsAuthSign=ab')">x</a>`],
  ['a link to an app', '<a href="vlc://radio.example/?wmsAuthSign=ab">x</a>'],
  ['only a link in a comment that never closes', `<!-- <p>No</p> ${LINK}`],
  ['only a link in a script that never closes', `<script>${LINK}`],
  ['a link cut off in its address', LINK.slice(0, 100)],
  ['a link whose quote never closes', `<a href="${SIGNED}>x</a>`],
  ['a link hidden in another attribute', `<div title='${LINK}'>x</div>`],
])('no token is found in %s', (_sentence, html) => {
  expect(tokenIn(html)).toBeNull();
});

test('the token follows the configured parameter', () => {
  const html = '<a href="/live?a.b=1&amp;copy=2&amp;reg[x]=3">x</a>';
  expect(tokenFromProviderPage(html, 'reg[x]')).toBe('3');
  expect(tokenFromProviderPage(html, 'copy')).toBe('2&reg[x]=3');
  expect(tokenFromProviderPage(html, 'aXb')).toBeNull();
});

test.each(['<div>', '<!---->'])('the link is found behind 60 kB of %s', (part) => {
  expect(tokenIn(part.repeat(60_000 / part.length) + LINK)).toBe(TOKEN);
});
