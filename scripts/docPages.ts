import { readFileSync } from 'node:fs';
import path from 'node:path';
import { escapeAttribute, escapeText } from 'entities';
import { Marked } from 'marked';
import { texts } from '../client/texts.ts';
import { PROJECT_ROOT } from '../server/config/folders.ts';
import { DOC_PATHS, SCHEMA_PATH } from '../shared/paths.ts';

const DOCS = path.join(PROJECT_ROOT, 'docs');

type DocFile = keyof typeof DOC_PATHS;
type Language = 'en' | 'es';

/** Authors of tools read English, technicians of the partners Spanish. */
const LANGUAGES: Record<DocFile, Language> = { 'api.md': 'en', 'players.md': 'es' };
/** Hidden from screen readers, which read the name beside it. */
const LOGO = readFileSync(path.join(PROJECT_ROOT, 'client', 'layout', 'logo.svg'), 'utf8')
  .replace(/<title>.*<\/title>/, '')
  .replace('<svg ', '<svg width="36" height="36" aria-hidden="true" ');

export function docPages(): Array<{ route: string; html: string }> {
  return (Object.keys(DOC_PATHS) as DocFile[]).map((file) => ({
    route: DOC_PATHS[file],
    html: docPage(readFileSync(path.join(DOCS, file), 'utf8'), LANGUAGES[file]),
  }));
}

/** Links to files that the server does not serve become plain text. */
export function docPage(markdown: string, language: Language): string {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const id = anchorOf(this.parser.parseInline(tokens, this.parser.textRenderer));
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const address = servedAddress(href);
        return address === null ? text : `<a href="${address}">${text}</a>`;
      },
      // Each cell names its column, which phones show instead of the table's head.
      table({ header, rows }) {
        const headings = header.map(({ tokens }) => `<th>${this.parser.parseInline(tokens)}</th>`);
        const labels = header.map(({ text }) => escapeAttribute(text.replaceAll('`', '')));
        const cells = (row: typeof header) =>
          row.map(
            ({ tokens }, column) =>
              `<td data-label="${labels[column]}">${this.parser.parseInline(tokens)}</td>`,
          );
        const body = rows.map((row) => `<tr>${cells(row).join('')}</tr>\n`);
        return `<table>\n<thead><tr>${headings.join('')}</tr></thead>\n<tbody>\n${body.join('')}</tbody>\n</table>\n`;
      },
    },
  });
  const [, title = ''] = /^# (.*)$/m.exec(markdown) ?? [];
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeText(title)} · ${escapeText(texts.title)}</title>
<link rel="stylesheet" href="/docs/page.css">
</head>
<body>
<header>${LOGO}<p>${escapeText(texts.title)}</p></header>
<main>
${marked.parse(markdown)}</main>
<footer>${escapeText(texts.copyright)}</footer>
</body>
</html>
`;
}

/** Returns null for a file of the repository that is not served. */
function servedAddress(href: string): string | null {
  if (/^(https?:|#)/.test(href)) return href;
  if (href === '../schema.graphql') return SCHEMA_PATH;
  const [file = '', anchor] = href.split('#');
  if (!(file in DOC_PATHS)) return null;
  return DOC_PATHS[file as DocFile] + (anchor === undefined ? '' : `#${anchor}`);
}

/** Makes the same anchor as GitHub, so that links work in both places. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
}
