/** local/guide: answers questions about svc by quoting the passages of its manual that fit best. */
import { rank, hasTopic } from './manual-search.js';
import { passages } from './manual.js';
import type { Passage } from './passage.js';
import { inForm } from './output.js';
import { closingToolResults, lastUserImages, lastUserText } from './prompts.js';
import { thinkAloud } from './reasoning.js';
import { callTools } from './tools.js';
import type { Draft, Prompt } from './types.js';

/** Answers the last user message from the manual. */
export async function guide(prompt: Prompt): Promise<Draft> {
  const calls = await callTools(prompt);
  const question = lastUserText(prompt);
  const found = rank(question);
  const reasoning = thinkAloud(prompt.reasoning, thoughts(question, found));
  if (calls.length > 0) return { reasoning, blocks: calls, pace: {} };
  const results = closingToolResults(prompt);
  const text = results.length > 0 ? reportResults(results) : compose(prompt, question, found);
  const [best] = found;
  const object = { answer: text, ...(best?.command ? { command: best.command } : {}) };
  const answer = await inForm(prompt.output, text, object);
  return { reasoning, blocks: [{ type: 'text', text: answer }], pace: {} };
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
  const many = results.length === 1 ? 'The tool answered' : 'The tools answered';
  return `${many}:\n\n${results.map((result) => `> ${result.replaceAll('\n', '\n> ')}`).join('\n\n')}\n`;
}

function compose(prompt: Prompt, question: string, found: readonly Passage[]): string {
  const images = lastUserImages(prompt);
  const seen = images.length > 0 ? `${images.join('\n')}\n\n` : '';
  const [best, ...others] = found;
  if (best) return `${seen}${quote(best)}${seeAlso(others)}`;
  if (images.length > 0 && question.trim() === '') return seen.trimEnd() + '\n';
  const [overview] = passages;
  if (overview && !hasTopic(question)) return `${seen}${quote(overview)}`;
  return `${seen}${nothingFound()}`;
}

function quote({ title, text, command }: Passage): string {
  return `**${title}**\n\n${text}\n${command ? `\n\`\`\`sh\n${command}\n\`\`\`\n` : ''}`;
}

function seeAlso(others: readonly Passage[]): string {
  if (others.length === 0) return '';
  const titles = others.slice(0, 3).map(({ title }) => `"${title}"`);
  return `\nSee also: ${titles.join(', ')}.\n`;
}

function nothingFound(): string {
  const topics = passages.slice(0, 8).map(({ title }) => `- ${title}`);
  return (
    'The manual of svc has nothing on that. This model knows nothing else: it runs on your ' +
    `machine and quotes the manual. Ask it about, for example:\n\n${topics.join('\n')}\n\n` +
    '```sh\nsvc --help\n```\n'
  );
}
