/** The passages that local/guide quotes: the topics of docs/manual, then the declared commands. */
import MiniSearch from 'minisearch';
import { exampleParts, type Entry } from '../../src/command.js';
import { aboutOf, usageOf } from '../../src/cli/help.js';
import { commandsIn, type PlacedCommand } from '../../src/cli/map.js';
import type { Passage } from '../../src/service/engines/manual.js';
import { indexOptions, termsOf } from '../../src/service/engines/manual-index.js';
import type { Language, SavedIndex } from '../../src/service/engines/manual-index.js';
import { optionGroups } from './reference.js';

/** The content of src/service/engines/manual.json. */
export function manualPassages(pages: readonly string[], entries: readonly Entry[]): Passage[] {
  return [
    ...pages.flatMap(topicsIn),
    ...commandsIn(entries).flatMap((command) => commandPassages(command)),
  ];
}

/** What an example says is not what its topic is about: blocks of code, and quoted words. */
const examples = /^```[^]*?^```$|"[^"\n]*"|'[^'\n]*'/gm;

/** The content of manual-index.json: making the index takes longer than all else of an answer. */
export function manualIndex(passages: readonly Passage[], language: Language): SavedIndex {
  const search = new MiniSearch(indexOptions(language));
  search.addAll(
    passages.map(({ title, text, command = '' }, id) => {
      const [head, body, line] = [title, text, command].map((part) => {
        return language.joinVerbs(part.replace(examples, ''));
      });
      return { id, title: head, text: body, command: line };
    }),
  );
  const { index, ...head } = search.toJSON();
  // In order, so that a part of them is searched in the same order as all.
  const entries = index.map((entry) => JSON.stringify(entry)).sort((a, b) => (a < b ? -1 : 1));
  const topics = passages.filter(({ isReference }) => !isReference);
  const titles = topics.map(({ title }) => {
    return title
      .split(':')
      .map((part) => [...termsOf(part, language)].join(' '))
      .join('|');
  });
  return { head: JSON.stringify(head), entries, titles };
}

/**
 * The topics of a page: each `## heading` with its paragraphs, and the `sh` block that ends it
 * as the command to type. Lines of a paragraph become one line, as a terminal breaks them itself.
 */
export function topicsIn(page: string): Passage[] {
  return page
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [title = '', ...rest] = section.split('\n');
      const body = rest.join('\n').trim();
      const end = /^```sh\n(.*)\n```$/m.exec(body);
      if (!end?.[1]) throw new Error(`the topic "${title}" does not end in one command to type`);
      return { title, text: unwrapped(body.slice(0, end.index)), command: end[1] };
    });
}

/** Joins the lines of a paragraph; lists, tables and code stay as they are. */
function unwrapped(text: string): string {
  let isCode = false;
  return text
    .trim()
    .split(/\n\n+/)
    .map((block) => {
      const fences = block.match(/^```/gm)?.length ?? 0;
      const asItIs = isCode || fences > 0;
      if (fences % 2 === 1) isCode = !isCode;
      return asItIs ? block : block.replace(/\n(?![-|] )\s*/g, ' ');
    })
    .join('\n\n');
}

/** One passage for the command itself, and one for each further group of its options. */
function commandPassages({ path, command }: PlacedCommand): Passage[] {
  const [example] = command.examples ?? [];
  const help = `svc ${path} --help`;
  const about = aboutOf(command).replace(/\s*\n\s*/g, ' ');
  const groups = optionGroups(command.options ?? {});
  const [first] = groups;
  const main = first?.[0] === '' ? first[1].join('\n') : '';
  return [
    {
      title: `svc ${path}: ${command.summary}`,
      text: [about, `Usage: \`svc ${usageOf(path, command)}\``, main].filter(Boolean).join('\n\n'),
      command: example === undefined ? help : exampleParts(example)[0],
      isReference: true,
    },
    ...groups
      .filter(([heading]) => heading !== '')
      .map(([heading, lines]) => ({
        title: `svc ${path}, options: ${heading}`,
        text: lines.join('\n'),
        command: help,
        isReference: true,
      })),
  ];
}
