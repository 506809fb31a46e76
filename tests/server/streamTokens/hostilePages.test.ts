import fc from 'fast-check';
import { HTMLElement, parse } from 'node-html-parser';
import { describe, expect, test } from 'vitest';
import { demoPage } from '../../../server/demo/demoPage.ts';
import { tokenFromProviderPage } from '../../../server/streamTokens/providerHtml.ts';

const PAGE_LIMIT_BYTES = 64 * 1024;
const PAGES = 10_000;
const ADDRESS = 'https://radio.example/mp3/icecast.audio?wmsAuthSign=';

const tokenIn = (html: string) => tokenFromProviderPage(html, 'wmsAuthSign');

const REAL_PAGES = [
  demoPage(`${ADDRESS}c2VydmVyX3RpbWU9Ny80LzIwMjU=`, 20),
  `<html><a href="${ADDRESS}dG9rZW4=">Escuchar</a></html>`,
  `<p>Audio: <a class=audio href=${ADDRESS}dG9rZW4= target=_blank>Escuchar</a>`,
  `<!--[if IE]><p>x</p><![endif]--><HTML><HEAD><TITLE>Audio</TITLE><SCRIPT>if (a<b) document.write("<a href='/'>")</SCRIPT>
<BODY><TABLE><TR><TD><A HREF='/?a=1&amp;wmsAuthSign=YQ&#61;&#x3d;' TARGET=_blank>x</A><TD>&copy; 2025</TABLE>`,
];

const TAG_NAMES =
  'a A p div b li table tr td br script SCRIPT style template textarea title iframe noscript xmp pre svg constructor __proto__ valueOf documentfragmentcontainer a:b a-b ñ';
const ATTRIBUTE_NAMES =
  'href HREF Href hreff data-href id class title style on constructor __proto__ hasOwnProperty ( " = / ñ';
const FRAGMENTS =
  '< > </ /> <! <? <!-- --> --!> <!--> <!---> <![CDATA[ ]]> " \' = ` / \\ & ; # ? &amp; &AMP &quot; &#34; &lt; &#61; &#x3D; &#0; &#x110000; &#99999999999; &equals; &nbsp; &NotEqualTilde; &# &#x \0 \uFEFF \uFFFD wmsAuthSign= ?wmsAuthSign= &wmsAuthSign= &amp;wmsAuthSign= javascript: data: // http:// https://[ <a <a> </a> </a </script </script> <script> <a\thref=';

const words = (text: string) => fc.constantFrom(...text.split(' '));
const space = fc.constantFrom('', ' ', '\n', '\t', '\f', ' \r\n ', '\u00a0');
const text = fc.string({ unit: 'binary', maxLength: 12 });

const address = fc
  .tuple(
    fc.constantFrom(ADDRESS, '?wmsAuthSign=', '/?a=1&amp;wmsAuthSign=', 'javascript:?wmsAuthSign=', '/', ''),
    fc.array(fc.oneof(words(FRAGMENTS), fc.base64String({ maxLength: 40 }), text), { maxLength: 4 }),
  )
  .map(([start, rest]) => start + rest.join(''));
const attribute = fc
  .tuple(
    words(ATTRIBUTE_NAMES),
    space,
    fc.constantFrom('=', '=', '', '=='),
    fc.constantFrom('"', "'", ''),
    fc.oneof(address, text),
    fc.constantFrom('"', "'", ''),
  )
  .map((parts) => parts.join(''));
const tag = fc
  .tuple(
    fc.constantFrom('<', '<', '<', '</', '< '),
    words(TAG_NAMES),
    fc.array(fc.tuple(space, attribute), { maxLength: 3 }),
    fc.constantFrom('>', '>', '>', '/>', ' ', ''),
  )
  .map(([open, name, attributes, close]) => open + name + attributes.flat().join('') + close);
const link = fc
  .tuple(address, fc.constantFrom('"', "'", ''))
  .map(([href, quote]) => `<a href=${quote}${href}${quote}>`);
const piece = fc.oneof(tag, words(FRAGMENTS), link, attribute, space, text);
const pieces = (maxLength: number) =>
  fc.array(piece, { minLength: 1, maxLength }).map((parts) => parts.join(''));

const mixture = pieces(40);
const mutation = fc
  .tuple(
    fc.constantFrom(...REAL_PAGES),
    fc.array(fc.tuple(fc.nat(), fc.nat(60), fc.oneof(fc.constant(''), piece)), { maxLength: 8 }),
  )
  .map(([page, cuts]) =>
    cuts.reduce((html, [at, length, insert]) => {
      const start = at % (html.length + 1);
      return html.slice(0, start) + insert + html.slice(start + length);
    }, page),
  );
const cut = fc.tuple(mutation, fc.nat()).map(([html, at]) => html.slice(0, at % (html.length + 1)));
const bytes = fc.uint8Array({ maxLength: 600 }).map((array) => new TextDecoder().decode(array));
/** As long as a page may be, by repetition: that is what makes a reading slow. */
const long = fc.tuple(pieces(3), pieces(5), pieces(3)).map(([start, part, end]) => {
  const repeated = part.repeat(Math.ceil(PAGE_LIMIT_BYTES / Math.max(part.length, 1)));
  return start + repeated.slice(0, Math.max(PAGE_LIMIT_BYTES - start.length - end.length, 0)) + end;
});
const anyPage = fc.oneof(
  { weight: 8, arbitrary: mixture },
  { weight: 8, arbitrary: mutation },
  { weight: 4, arbitrary: cut },
  { weight: 2, arbitrary: bytes },
  { weight: 1, arbitrary: long },
);

function decodedOnce(html: string): string {
  const link = parse('<a></a>').firstChild;
  if (!(link instanceof HTMLElement)) throw new Error('No link was made');
  return link.setAttributes({ href: html }).getAttribute('href') ?? '';
}

function cpuMsOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

describe('whatever the page', () => {
  test('it is read without a throw, and a token is printable, bounded and written after the parameter', () => {
    let tokens = 0;
    let slowestMs = 0;
    fc.assert(
      fc.property(anyPage, (html) => {
        let token: string | null = null;
        const ms = cpuMsOf(() => {
          token = tokenIn(html);
        });
        slowestMs = Math.max(slowestMs, ms);
        if (token === null) return;
        tokens += 1;
        expect(token).toMatch(/^[\x21-\x7e]{1,2048}$/);
        const decoded = decodedOnce(html);
        const isWritten = ['?', '&'].some((mark) => decoded.includes(`${mark}wmsAuthSign=${token}`));
        expect(isWritten).toBe(true);
      }),
      { numRuns: PAGES },
    );
    expect(tokens).toBeGreaterThan(PAGES / 20);
    // Far above what any page takes, far below what a quadratic reading would.
    expect(slowestMs).toBeLessThan(1_000);
  });

  test('a link that a browser would see is found, however its token is written and whatever follows it', () => {
    const plain = fc.constantFrom(
      ...['texto ', '<p>', '</p>', '<b class="x">b</b>', '<!-- c -->', '<br/>', '<a href="/">i</a>', '&amp;'],
      ...[
        '<script>let a = "<a href=/>";</script>',
        '<ul><li>',
        '<constructor>',
        '<a name=__proto__>',
        '> ',
        ' & ',
      ],
    );
    const written = fc
      .tuple(fc.integer({ min: 0x21, max: 0x7e }), fc.constantFrom('as it is', 'decimal', 'hexadecimal'))
      .map(([code, form]) => {
        const character = String.fromCharCode(code);
        if (form === 'hexadecimal') return { character, html: `&#x${code.toString(16)};` };
        const isFree = form === 'as it is' && !`&"'<`.includes(character);
        return { character, html: isFree ? character : `&#${code};` };
      });
    fc.assert(
      fc.property(
        fc.array(plain, { maxLength: 12 }),
        fc.array(written, { minLength: 1, maxLength: 80 }),
        fc.constantFrom('"', "'"),
        mixture,
        (before, token, quote, after) => {
          const href = quote + ADDRESS + token.map(({ html }) => html).join('') + quote;
          const html = `${before.join('')}<a href=${href}>x</a>${after}`;
          expect(tokenIn(html)).toBe(token.map(({ character }) => character).join(''));
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
