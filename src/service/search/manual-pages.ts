/** The manual as pages with addresses of their own. */
import { passages } from '../engines/manual.js';
import type { Passage } from '../engines/passage.js';
import { writingOf, type Document } from './document.js';
import { plainText } from './plain.js';

/** Where the service shows a page: `/manual/getting-started`. */
export const manualPath = '/manual/';

const bySlug: ReadonlyMap<string, Passage> = new Map(
  passages.map((passage) => [slugOf(passage.title), passage]),
);

/** Every page, as the search knows it. */
export function manualDocuments(): Document[] {
  return Array.from(bySlug, ([slug, passage]) => {
    const text = plainText(passage.text);
    return {
      title: plainText(passage.title),
      address: manualPath + slug,
      text: passage.command ? `${text}\n${passage.command}` : text,
      writing: writingOf(text),
      isReference: passage.isReference,
    };
  });
}

/** A page as Markdown, or undefined when there is none of that name. */
export function manualPage(slug: string): string | undefined {
  const passage = bySlug.get(slug);
  if (!passage) return undefined;
  const { title, text, command } = passage;
  return `# ${title}\n\n${text}\n${command ? `\n\`\`\`sh\n${command}\n\`\`\`\n` : ''}`;
}

function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}
