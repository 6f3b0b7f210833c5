/** Every file of the repository that is made from the declarations and the manual. */
import * as z from 'zod/mini';
import { CommandMap } from '../../src/command-map.js';
import { entries } from '../../src/commands/index.js';
import { manualIndex, manualPassages } from './manual.js';
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
  const pages = list('docs/manual').map((name) => read(`docs/manual/${name}`));
  const passages = manualPassages(pages, entries);
  return [
    { path: 'docs/reference.md', text: referencePage(entries) },
    { path: 'docs/map.schema.json', text: mapSchema() },
    { path: 'README.md', text: withReference(read('README.md')) },
    { path: 'src/service/engines/manual.json', text: JSON.stringify(passages) },
    {
      path: 'src/service/engines/manual-index.json',
      text: JSON.stringify(manualIndex(passages)),
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
