/** Every file of the repository that is made from the declarations and the manual. */
import * as z from 'zod/mini';
import { CommandMap } from '../../src/command-map.js';
import { entries } from '../../src/commands/index.js';
import * as english from '../../src/service/engines/terms.js';
import * as russian from '../../src/service/engines/terms-ru.js';
import { manualIndex, manualPassages, topicsIn } from './manual.js';
import { referencePage, referenceSection } from './reference.js';

export interface GeneratedFile {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
}

export interface Sources {
  readonly read: (path: string) => string;
  /** The names in a folder, in order. */
  readonly list: (folder: string) => readonly string[];
}

/** What each generated file must hold, before formatting. */
export function generatedFiles({ read, list }: Sources): GeneratedFile[] {
  const pagesIn = (folder: string) => {
    const names = list(folder).filter((name) => name.endsWith('.md'));
    return names.map((name) => read(`${folder}/${name}`));
  };
  const passages = manualPassages(pagesIn('docs/manual'), entries);
  const topics = pagesIn('docs/manual/ru').flatMap(topicsIn);
  return [
    { path: 'docs/reference.md', text: referencePage(entries) },
    { path: 'docs/map.schema.json', text: mapSchema() },
    { path: 'README.md', text: withReference(read('README.md')) },
    { path: 'src/service/engines/manual.json', text: JSON.stringify(passages) },
    {
      path: 'src/service/engines/manual-index.json',
      text: JSON.stringify(manualIndex(passages, english)),
    },
    {
      path: 'src/service/engines/manual-ru.json',
      text: JSON.stringify({ passages: topics, index: manualIndex(topics, russian) }),
    },
  ];
}

/** The JSON Schema of `svc help --json`; later versions of svc may add fields. */
function mapSchema(): string {
  const title = 'The commands of svc, as `svc help --json` prints them';
  return JSON.stringify({ ...z.toJSONSchema(CommandMap, { io: 'input' }), title });
}

const opening = '<!-- reference: made by `npm run generate` -->';
const closing = '<!-- /reference -->';

/** Puts the reference between its markers. */
function withReference(text: string): string {
  const start = text.indexOf(opening);
  const end = text.indexOf(closing);
  if (start === -1 || end < start) throw new Error(`README.md needs ${opening} and ${closing}`);
  return `${text.slice(0, start + opening.length)}\n\n${referenceSection(entries)}\n${text.slice(end)}`;
}
