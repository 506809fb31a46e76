// Run by `npm version` when package.json has the new number, before it commits: the other places that name it.
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { OperatorError } from '../server/errors.ts';
import { printFailure } from './printFailure.ts';

/** npm runs it in the project's folder. */
const ROOT = process.cwd();
const UNRELEASED = '## [Unreleased]\n';

try {
  const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  change('CHANGELOG.md', (page) => released(page, version));
  change('compose.yaml', (text) => text.replaceAll(/(image: audio-oficial-premium:)\S+/g, `$1${version}`));
  change('Dockerfile', (text) => text.replace(/^(ARG VERSION=).*$/m, `$1${version}`));
  copyFileSync(path.join(ROOT, 'schema.graphql'), path.join(ROOT, 'docs/released/schema.graphql'));
} catch (error) {
  printFailure(error);
}

function released(page: string, version: string): string {
  const [before, after = ''] = page.split(UNRELEASED);
  if (!/^\s*(?!## )\S/.test(after)) throw new OperatorError('CHANGELOG.md says nothing under [Unreleased].');
  const today = new Date().toISOString().slice(0, 10);
  return `${before}${UNRELEASED}\n## [${version}] - ${today}\n${after}`;
}

function change(file: string, by: (text: string) => string): void {
  const place = path.join(ROOT, file);
  writeFileSync(place, by(readFileSync(place, 'utf8')));
}
