/** What a model answers with besides its words: calls of tools, and the form that a request wants. */
import { isRecord } from '../../lib/json.js';
import { countCharacters } from '../../lib/text-pieces.js';
import { badRequest } from '../failure.js';
import { thinkAloud } from './plan.js';
import { asText, closingToolResults, lastUserParts, lastUserText } from './prompts.js';
import type { AnswerDraft, Prompt, Tool, ToolCallBlock } from './engine.js';

type Call = Omit<ToolCallBlock, 'id'>;

/** local/echo: the last user message, byte for byte, or what tools have just answered. */
export async function echo(prompt: Prompt): Promise<AnswerDraft> {
  const results = closingToolResults(prompt);
  const text = results.length > 0 ? results.join('\n') : asText(lastUserParts(prompt));
  const thoughts = [
    `The last message has ${countCharacters(text)} characters.`,
    'An echo changes nothing.',
    'So it goes back as it came.',
    `The conversation has ${prompt.turns.length} messages; only the last one counts.`,
    `Tools on offer: ${prompt.tools.map((tool) => tool.name).join(', ') || 'none'}.`,
  ];
  return draftOf(prompt, thoughts, text, { echo: text });
}

/** The calls of a prompt, or else the text in the form that it wants; `object` is that as JSON. */
export async function draftOf(
  prompt: Prompt,
  thoughts: readonly string[],
  text: string,
  object: Readonly<Record<string, unknown>>,
): Promise<AnswerDraft> {
  const reasoning = thinkAloud(prompt, thoughts);
  const calls = await callTools(prompt);
  if (calls.length > 0) return { reasoning, blocks: calls, pace: {} };
  const answer = await inForm(prompt.output, text, object);
  return { reasoning, blocks: [{ type: 'text', text: answer }], pace: {} };
}

/** The text, or JSON of the form that the request wants, which carries the text. */
export async function inForm(
  output: Prompt['output'],
  text: string,
  object: Readonly<Record<string, unknown>>,
): Promise<string> {
  if (output.form === 'text') return text;
  if (output.form === 'json') return isObject(text) ? text : JSON.stringify(object);
  const [json = ''] = await made([output.schema], text, () => [
    'a value for the schema',
    'response_format',
  ]);
  return json;
}

function isObject(text: string): boolean {
  try {
    return isRecord(JSON.parse(text));
  } catch {
    return false;
  }
}

/** @param what is made of a schema, and the field that a refusal names */
async function made(
  schemas: readonly unknown[],
  text: string | undefined,
  what: (index: number) => [what: string, param: string],
): Promise<string[]> {
  const { structured, SchemaTrouble } = await import('./structured.js');
  try {
    return structured(schemas, text);
  } catch (error) {
    if (!(error instanceof SchemaTrouble)) throw error;
    const [thing, param] = what(error.index);
    throw badRequest(`local models cannot make up ${thing}: ${error.message}`, param);
  }
}

/** The calls of a prompt: the demanded tool, or those that are named; none once tools have answered. */
export async function callTools(prompt: Prompt): Promise<Call[]> {
  const chosen = chooseTools(prompt);
  return callEach(prompt.parallelToolCalls ? chosen : chosen.slice(0, 1));
}

/** A call of each tool, with made-up arguments that fit its schema. */
export async function callEach(tools: readonly Tool[]): Promise<Call[]> {
  if (tools.length === 0) return [];
  const schemas = tools.map(({ parameters }) => parameters ?? { type: 'object' });
  const jsons = await made(schemas, undefined, (index) => [
    `arguments for the tool "${tools[index]?.name ?? ''}"`,
    'tools',
  ]);
  return tools.map(({ name }, i) => ({ type: 'toolCall', name, json: jsons[i] ?? '{}' }));
}

function chooseTools(prompt: Prompt): Tool[] {
  const { tools, toolChoice } = prompt;
  if (typeof toolChoice === 'object') {
    const tool = tools.find(({ name }) => name === toolChoice.name);
    if (!tool) {
      const message = `tool_choice names "${toolChoice.name}", which is not among the tools`;
      throw badRequest(message, 'tool_choice');
    }
    return closingToolResults(prompt).length > 0 ? [] : [tool];
  }
  const [first] = tools;
  if (toolChoice === 'required' && !first) {
    throw badRequest('tool_choice demands a tool, but there are none', 'tool_choice');
  }
  if (toolChoice === 'none' || closingToolResults(prompt).length > 0) return [];
  const named = namedTools(lastUserText(prompt), tools);
  return named.length === 0 && toolChoice === 'required' && first ? [first] : named;
}

/** The tools whose names stand in a text as whole words, in the order of the tools. */
function namedTools(text: string, tools: readonly Tool[]): Tool[] {
  if (tools.length === 0) return [];
  const words = new Set(text.match(/[\p{L}\p{N}_.-]+/gu)?.flatMap((word) => [word, bare(word)]));
  return tools.filter((tool) => words.has(tool.name));
}

/** A word without the full stops and dashes around it. A loop: an expression may take n² steps. */
function bare(word: string): string {
  let start = 0;
  let end = word.length;
  while (start < end && '.-'.includes(word.charAt(start))) start += 1;
  while (end > start && '.-'.includes(word.charAt(end - 1))) end -= 1;
  return word.slice(start, end);
}
