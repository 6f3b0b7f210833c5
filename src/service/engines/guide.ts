/** local/guide: answers questions about svc by quoting the passages of its manual that fit best. */
import MiniSearch from 'minisearch';
import { draftOf } from './answers.js';
import type { AnswerDraft, Prompt } from './engine.js';
import { commandBlock, passages, type Passage } from './manual.js';
import { closingToolResults, describeImages, lastUserParts, lastUserText } from './prompts.js';
import { joinVerbs, termOf } from './terms.js';

export async function guide(prompt: Prompt): Promise<AnswerDraft> {
  const question = lastUserText(prompt);
  const found = rank(question);
  const results = closingToolResults(prompt);
  const text = results.length > 0 ? reportResults(results) : compose(prompt, question, found);
  const [best] = found;
  const object = { answer: text, ...(best?.command ? { command: best.command } : {}) };
  return draftOf(prompt, thoughts(question, found), text, object);
}

function thoughts(question: string, found: readonly Passage[]): string[] {
  const words = question.trim().split(/\s+/).length;
  const [best] = found;
  return [
    best ? `The passage "${best.title}" fits best.` : 'No passage of the manual fits.',
    `The question has ${words} words; ${found.length} of ${passages.length} passages share some.`,
    ...found.slice(1).map(({ title }) => `"${title}" fits less well.`),
  ];
}

function reportResults(results: readonly string[]): string {
  const quotes = results.map((result) => `> ${result.replaceAll('\n', '\n> ')}`);
  return `The ${results.length === 1 ? 'tool' : 'tools'} answered:\n\n${quotes.join('\n\n')}\n`;
}

function compose(prompt: Prompt, question: string, found: readonly Passage[]): string {
  const images = describeImages(lastUserParts(prompt));
  const seen = images.length > 0 ? `${images.join('\n')}\n\n` : '';
  const [best, ...others] = found;
  if (!best && images.length > 0 && question.trim() === '') return seen.trimEnd() + '\n';
  // Without a topic, the first passage says what there is.
  const words = question.slice(0, longestQuestion).match(/[\p{L}\p{N}]+/gu) ?? [];
  const hasTopic = words.some((word) => termOf(word) !== null);
  const passage = best ?? (hasTopic ? undefined : passages[0]);
  if (passage) {
    const { title, text } = passage;
    const titles = others.slice(0, 3).map((other) => `"${other.title}"`);
    const seeAlso = titles.length === 0 ? '' : `\nSee also: ${titles.join(', ')}.\n`;
    return `${seen}**${title}**\n\n${text}\n${commandBlock(passage)}${seeAlso}`;
  }
  const topics = passages.slice(0, 8).map(({ title }) => `- ${title}`);
  const nothing =
    'The manual of svc has nothing on that. This model knows nothing else: it runs on your ' +
    `machine and quotes the manual. Ask it about, for example:\n\n${topics.join('\n')}\n\n`;
  return `${seen}${nothing}\`\`\`sh\nsvc --help\n\`\`\`\n`;
}

/** Made at the first question: a call to another model should not wait for it. */
let index: MiniSearch | undefined;

function makeIndex(): MiniSearch {
  const made = new MiniSearch({
    fields: ['title', 'text', 'command'],
    processTerm: termOf,
    searchOptions: {
      boost: { title: 3, command: 1.5 },
      prefix: (term) => term.length > 3,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      boostDocument: (id) => (passages[Number(id)]?.isReference ? 0.4 : 1),
    },
  });
  for (const [id, { title, text, command = '' }] of passages.entries()) {
    made.add({ id, title: joinVerbs(title), text: joinVerbs(text), command });
  }
  return made;
}

/** The longest question that is searched for; what follows adds no topic. */
const longestQuestion = 2000;

/** The passages that fit a question, the best first. */
export function rank(question: string): Passage[] {
  index ??= makeIndex();
  const found = index.search(joinVerbs(question.slice(0, longestQuestion)));
  return found.flatMap(({ id }) => passages[Number(id)] ?? []);
}
