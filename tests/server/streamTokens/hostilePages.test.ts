import fc from 'fast-check';
import { HTMLElement, parse } from 'node-html-parser';
import { expect, test } from 'vitest';
import { demoPage } from '../../../server/demo/demoPage.ts';
import { tokenFromProviderPage } from '../../../server/streamTokens/providerHtml.ts';

const PAGE_LIMIT_BYTES = 64 * 1024;
const PAGES = 10_000;
const ADDRESS = 'https://radio.example/mp3/icecast.audio?wmsAuthSign=';

const tokenIn = (html: string) => tokenFromProviderPage(html, 'wmsAuthSign');

const REAL_PAGES = [
  demoPage(`${ADDRESS}c2VydmVyX3RpbWU9Ny80LzIwMjU=`, 20),
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
const joined = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map((texts) => texts.join(''));
const several = (part: fc.Arbitrary<string>, maxLength: number) =>
  fc.array(part, { maxLength }).map((texts) => texts.join(''));

const space = fc.constantFrom('', ' ', '\n', '\t', '\f', ' \r\n ', '\u00a0');
const text = fc.string({ unit: 'binary', maxLength: 12 });
const quote = fc.constantFrom('"', "'", '');
const address = joined(
  fc.constantFrom(ADDRESS, '?wmsAuthSign=', '/?a=1&amp;wmsAuthSign=', 'javascript:?wmsAuthSign=', '/', ''),
  several(fc.oneof(words(FRAGMENTS), fc.base64String({ maxLength: 40 }), text), 4),
);
const attribute = joined(
  words(ATTRIBUTE_NAMES),
  space,
  fc.constantFrom('=', '=', '', '=='),
  quote,
  fc.oneof(address, text),
  quote,
);
const tag = joined(
  fc.constantFrom('<', '<', '<', '</', '< '),
  words(TAG_NAMES),
  several(joined(space, attribute), 3),
  fc.constantFrom('>', '>', '>', '/>', ' ', ''),
);
const link = fc.tuple(address, quote).map(([href, mark]) => `<a href=${mark}${href}${mark}>`);
const piece = fc.oneof(tag, words(FRAGMENTS), link, attribute, space, text);
const mixture = several(piece, 40);
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
/** Repeats text up to the longest allowed page, since repetition makes parsing slow. */
const long = fc.tuple(several(piece, 3), several(piece, 5), several(piece, 3)).map(([start, part, end]) => {
  const length = Math.max(PAGE_LIMIT_BYTES - start.length - end.length, 0);
  return start + part.repeat(Math.ceil(length / Math.max(part.length, 1))).slice(0, length) + end;
});
const anyPage = fc.oneof(
  { weight: 8, arbitrary: mixture },
  { weight: 8, arbitrary: mutation },
  { weight: 4, arbitrary: cut },
  { weight: 1, arbitrary: long },
);

function decodedOnce(html: string): string {
  const element = parse('<a></a>').firstChild;
  if (!(element instanceof HTMLElement)) throw new Error('No link was made');
  return element.setAttributes({ href: html }).getAttribute('href') ?? '';
}

test('any page is read without a throw, and a token is printable, bounded and written after the parameter', () => {
  let tokens = 0;
  let slowestMs = 0;
  fc.assert(
    fc.property(anyPage, (html) => {
      const before = process.cpuUsage();
      const token = tokenIn(html);
      const { user, system } = process.cpuUsage(before);
      slowestMs = Math.max(slowestMs, (user + system) / 1_000);
      if (token === null) return;
      tokens += 1;
      expect(token).toMatch(/^[\x21-\x7e]{1,2048}$/);
      const decoded = decodedOnce(html);
      expect(['?', '&'].some((mark) => decoded.includes(`${mark}wmsAuthSign=${token}`))).toBe(true);
    }),
    { numRuns: PAGES },
  );
  expect(tokens).toBeGreaterThan(PAGES / 20);
  // Far above what any page takes, far below what a quadratic reading would.
  expect(slowestMs).toBeLessThan(1_000);
});

test('a link that a browser would see is found, however its token is written and whatever follows it', () => {
  const before = fc.constantFrom(
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
      several(before, 12),
      fc.array(written, { minLength: 1, maxLength: 80 }),
      fc.constantFrom('"', "'"),
      mixture,
      (start, token, mark, end) => {
        const href = mark + ADDRESS + token.map(({ html }) => html).join('') + mark;
        expect(tokenIn(`${start}<a href=${href}>x</a>${end}`)).toBe(
          token.map(({ character }) => character).join(''),
        );
      },
    ),
    { numRuns: 1_000 },
  );
});
