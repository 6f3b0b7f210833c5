/** The pages of the repository that people read. */
import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '../..');

export interface Page {
  readonly path: string;
  readonly text: string;
}

function page(path: string): Page {
  return { path, text: readFileSync(join(root, path), 'utf8') };
}

/** README, CONTRIBUTING and what it links to, the reference, and all of the manual, in English. */
export const pages: readonly Page[] = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'docs/reference.md'].map(page),
  ...['SECURITY.md', 'CODE_OF_CONDUCT.md'].map(page),
  ...pagesIn('docs/manual'),
];

/** README.ru.md, and the manual in Russian. */
export const russianPages: readonly Page[] = [page('README.ru.md'), ...pagesIn('docs/manual/ru')];

function pagesIn(folder: string): Page[] {
  const names = readdirSync(join(root, folder)).filter((name) => name.endsWith('.md'));
  return names.map((name) => page(`${folder}/${name}`));
}

/** The lines of fenced blocks that a person may type: all of `sh`, what follows `$ ` in `console`. */
export function shellLines({ text }: Page): string[] {
  return Array.from(text.matchAll(/^(`{3,})(sh|console)\n([^]*?)\n\1$/gm)).flatMap(
    ([, , language, body = '']) =>
      language === 'sh'
        ? body.split('\n')
        : body.split('\n').flatMap((line) => (line.startsWith('$ ') ? [line.slice(2)] : [])),
  );
}

/** What stands between backticks in running text. */
export function codeSpans({ text }: Page): string[] {
  const prose = text.replace(/^(`{3,})[^]*?\n\1$/gm, '');
  return Array.from(prose.matchAll(/`([^`\n]+)`/g), ([, code = '']) => code);
}
