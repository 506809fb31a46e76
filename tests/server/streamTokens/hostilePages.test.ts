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

const FRAGMENTS =
  '< > </ /> <! <!-- --> --!> <!--> <![CDATA[ ]]> " \' = ` / & ; # ? &amp; &quot; &#61; &#x110000; &NotEqualTilde; &#x \0 \uFEFF ?wmsAuthSign= &amp;wmsAuthSign= javascript: // https://[ <a <a> </a> </a </script <script> <a\thref=';
const TAGS =
  '<p> </p> <b class="x"> <li> <table><tr><td> <br/> <script> <SCRIPT type=x> <style> <template> <textarea> <title> <iframe> <xmp> <constructor> <a:b> <ñ> <a constructor=x> <a name=__proto__> <a href>';

const words = (text: string) => fc.constantFrom(...text.split(' '));
const several = (part: fc.Arbitrary<string>, maxLength: number) =>
  fc.array(part, { maxLength }).map((texts) => texts.join(''));

const text = fc.string({ unit: 'binary', maxLength: 12 });
const address = fc
  .tuple(
    fc.constantFrom(ADDRESS, '?wmsAuthSign=', '/?a=1&amp;wmsAuthSign=', 'javascript:?wmsAuthSign=', '/'),
    several(fc.oneof(words(FRAGMENTS), fc.base64String({ maxLength: 40 }), text), 4),
  )
  .map((parts) => parts.join(''));
const link = fc
  .tuple(address, fc.constantFrom('"', "'", ''))
  .map(([href, mark]) => `<a href=${mark}${href}${mark}>`);
const piece = fc.oneof(words(TAGS), words(FRAGMENTS), link, text);
const mixture = several(piece, 40);
/** A realistic page with pieces cut out and put in. */
const mutation = fc
  .tuple(fc.constantFrom(...REAL_PAGES), fc.array(fc.tuple(fc.nat(), fc.nat(60), piece), { maxLength: 8 }))
  .map(([page, cuts]) =>
    cuts.reduce((html, [at, length, insert]) => {
      const start = at % (html.length + 1);
      return html.slice(0, start) + insert + html.slice(start + length);
    }, page),
  );
/** A page of the greatest length that repeats one part, since repetition makes parsers slow. */
const long = fc
  .tuple(several(piece, 3), several(piece, 5))
  .map(([start, part]) => start + part.repeat(Math.ceil(PAGE_LIMIT_BYTES / Math.max(part.length, 1))))
  .map((html) => html.slice(0, PAGE_LIMIT_BYTES));
const anyPage = fc.oneof(
  { weight: 8, arbitrary: mixture },
  { weight: 8, arbitrary: mutation },
  { weight: 1, arbitrary: long },
);

function decodedOnce(html: string): string {
  const element = parse('<a></a>').firstChild;
  if (!(element instanceof HTMLElement)) throw new Error('No link was made');
  return element.setAttributes({ href: html }).getAttribute('href') ?? '';
}

test('any page is read without a throw, and a token is printable, bounded and written after the parameter', () => {
  let tokens = 0;
  fc.assert(
    fc.property(anyPage, (html) => {
      const token = tokenIn(html);
      if (token === null) return;
      tokens += 1;
      expect(token).toMatch(/^[\x21-\x7e]{1,2048}$/);
      const decoded = decodedOnce(html);
      expect(['?', '&'].some((mark) => decoded.includes(`${mark}wmsAuthSign=${token}`))).toBe(true);
    }),
    { numRuns: PAGES },
  );
  expect(tokens).toBeGreaterThan(PAGES / 20);
});

test('a link that a browser would see is found, however its token is written and whatever follows it', () => {
  const before = fc.constantFrom(
    ...['texto ', '<p>', '</p>', '<b class="x">b</b>', '<!-- c -->', '<a href="/">i</a>', '&amp;', '> '],
    ...['<script>let a = "<a href=/>";</script>', '<ul><li>', '<constructor>', '<a name=__proto__>'],
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
