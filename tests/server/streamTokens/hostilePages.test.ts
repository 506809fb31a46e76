import fc from 'fast-check';
import { expect, test } from 'vitest';
import { demoPage } from '../../../server/demo/demoPage.ts';
import { tokenFromProviderPage } from '../../../server/streamTokens/providerHtml.ts';

const PAGES = 1_000;
const ADDRESS = 'https://radio.example/mp3/icecast.audio?wmsAuthSign=';
const FRAGMENTS =
  '< > </ /> <! <!-- --> --!> <!--> <![CDATA[ ]]> " \' = & ; # &amp; &#61; &#x110000; &#x \0 \uFEFF ?wmsAuthSign= &amp;wmsAuthSign= javascript: // <a <a> </a </script <script> <p> <li> <table><tr><td> <style> <template> <xmp> <constructor> <a constructor=x> <a name=__proto__>';

const piece = fc.oneof(
  fc.constantFrom(...FRAGMENTS.split(' ')),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.base64String({ maxLength: 40 }).map((token) => `<a href="${ADDRESS}${token}">`),
);
const mixture = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));
/** A realistic page with pieces cut out and put in. */
const mutation = fc.array(fc.tuple(fc.nat(), fc.nat(60), piece), { maxLength: 8 }).map((cuts) =>
  cuts.reduce(
    (html, [at, length, insert]) => {
      const start = at % (html.length + 1);
      return html.slice(0, start) + insert + html.slice(start + length);
    },
    demoPage(`${ADDRESS}c2VydmVyX3RpbWU9Ny80LzIwMjU=`, 20),
  ),
);

test('any page is read without a throw, and its token is printable and bounded', () => {
  let tokens = 0;
  fc.assert(
    fc.property(fc.oneof(mixture, mutation), (html) => {
      const token = tokenFromProviderPage(html, 'wmsAuthSign');
      if (token === null) return;
      tokens += 1;
      expect(token).toMatch(/^[\x21-\x7e]{1,2048}$/);
    }),
    { numRuns: PAGES },
  );
  expect(tokens).toBeGreaterThan(PAGES / 20);
});
