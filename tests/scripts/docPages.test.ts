import { expect, test } from 'vitest';
import { docPage, docPages } from '../../scripts/docPages.ts';

test('each link of a page leads to a heading of a page that is served', () => {
  const pages = docPages();
  const targets = pages.flatMap(({ route, html }) => [
    route,
    ...[...html.matchAll(/<h\d id="(.*?)"/g)].map(([, id]) => `${route}#${id}`),
  ]);
  const links = pages.flatMap(({ route, html }) =>
    [...html.matchAll(/ href="(.*?)"/g)].map(([, href = '']) => (href.startsWith('#') ? route + href : href)),
  );
  const files = ['/docs/page.css', '/docs/schema.graphql'];
  const ours = links.filter((link) => !link.startsWith('https:') && !files.includes(link));
  expect(ours).toContain('/docs/api#limits');
  expect(ours.filter((link) => !targets.includes(link))).toEqual([]);
});

test("the API's page links to the schema that the server serves", () => {
  const { html = '' } = docPages().find(({ route }) => route === '/docs/api') ?? {};
  expect(html).toContain('<a href="/docs/schema.graphql">schema</a>');
});

test('technicians read Spanish, authors of tools English', () => {
  const languages = docPages().map(({ route, html }) => [route, /<html lang="(\w+)">/.exec(html)?.[1]]);
  expect(Object.fromEntries(languages)).toEqual({ '/docs/api': 'en', '/docs/players': 'es' });
});

test('a link to a file without a page is plain text', () => {
  const html = docPage(
    '# Of `code`, and more\n\nSee [the code](../server/main.ts) and [a site](https://a.example/).\n',
    'en',
  );
  expect(html).toContain('<h1 id="of-code-and-more">');
  expect(html).toContain('<p>See the code and <a href="https://a.example/">a site</a>.</p>');
});
