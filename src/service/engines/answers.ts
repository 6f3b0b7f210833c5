/** Tool calls, and answers in the format that a request asks for. */
import { isRecord, parsedJson } from '../../lib/json.js';
import { countCharacters } from '../../lib/text-pieces.js';
import { badRequest } from '../failure.js';
import { asText, closingToolResults, lastUserParts, lastUserText } from './prompts.js';
import type { AnswerDraft, Prompt, Tool, ToolCall } from './engine.js';

/** local/echo: returns the last user message byte for byte, or the latest tool results. */
export async function echo(prompt: Prompt): Promise<AnswerDraft> {
  const results = closingToolResults(prompt);
  const text = results.length > 0 ? results.join('\n') : asText(lastUserParts(prompt));
  const thoughts = [
    `The last message has ${countCharacters(text)} characters.`,
    'An echo changes nothing in it.',
    'So it returns unchanged.',
    `The conversation has ${prompt.turns.length} messages; only the last one counts.`,
    `Available tools: ${prompt.tools.map((tool) => tool.name).join(', ') || 'none'}.`,
  ];
  return draftOf(prompt, thoughts, text, { echo: text });
}

const efforts: Readonly<Record<string, number>> = {
  minimal: 1,
  low: 2,
  medium: 3,
  high: 5,
  xhigh: 8,
  max: 12,
};

/** The tool calls of a prompt, or else the text in its output format; `object` is the JSON form. */
export async function draftOf(
  prompt: Prompt,
  thoughts: readonly string[],
  text: string,
  object: Readonly<Record<string, unknown>>,
): Promise<AnswerDraft> {
  const { mode, effort = 'medium' } = prompt.reasoning;
  const shown = mode === 'on' ? (efforts[effort] ?? 3) : 0;
  const reasoning = thoughts.slice(0, shown).join('\n');
  const calls = await callTools(prompt);
  if (calls.length > 0) return { reasoning, blocks: calls, pace: {} };
  const answer = await inForm(prompt.output, text, object);
  return { reasoning, blocks: [{ type: 'text', text: answer }], pace: {} };
}

export async function inForm(
  output: Prompt['output'],
  text: string,
  object: Readonly<Record<string, unknown>>,
): Promise<string> {
  if (output.form === 'text') return text;
  if (output.form === 'json') return isRecord(parsedJson(text)) ? text : JSON.stringify(object);
  const { structured } = await import('./structured.js');
  const { schema } = output;
  const request = { schema, what: 'a value for the schema', param: 'response_format' };
  return structured([request], text)[0] ?? '';
}

/** Calls the required tool or those that the prompt names; none after tool results. */
export async function callTools(prompt: Prompt): Promise<ToolCall[]> {
  const chosen = chooseTools(prompt);
  return callEach(prompt.parallelToolCalls ? chosen : chosen.slice(0, 1));
}

export async function callEach(tools: readonly Tool[]): Promise<ToolCall[]> {
  if (tools.length === 0) return [];
  const { structured } = await import('./structured.js');
  const requests = tools.map(({ name, parameters }) => {
    const schema = parameters ?? { type: 'object' };
    return { schema, what: `arguments for the tool "${name}"`, param: 'tools' };
  });
  const jsons = structured(requests);
  return tools.map(({ name }, i) => ({ type: 'toolCall', name, json: jsons[i] ?? '{}' }));
}

function chooseTools(prompt: Prompt): Tool[] {
  const { tools, toolChoice } = prompt;
  if (typeof toolChoice === 'object') {
    const tool = tools.find(({ name }) => name === toolChoice.name);
    if (!tool) {
      const message = `tool_choice names "${toolChoice.name}", which is not one of the tools`;
      throw badRequest(message, 'tool_choice');
    }
    return closingToolResults(prompt).length > 0 || tool.kind === 'hosted' ? [] : [tool];
  }
  if (toolChoice === 'required' && tools.length === 0) {
    throw badRequest('tool_choice requires a tool, but there are none', 'tool_choice');
  }
  const callable = tools.filter(({ kind }) => kind !== 'hosted');
  const [first] = callable;
  if (!first || toolChoice === 'none' || closingToolResults(prompt).length > 0) return [];
  const text = lastUserText(prompt);
  // Words with and without adjacent full stops and dashes.
  const forms = [/[\p{L}\p{N}_.-]+/gu, /[\p{L}\p{N}_]+(?:[.-]+[\p{L}\p{N}_]+)*/gu];
  const known = new Set<string>(forms.flatMap((form) => text.match(form) ?? []));
  const matches = callable.filter(({ name }) => known.has(name));
  return matches.length === 0 && toolChoice === 'required' ? [first] : matches;
}
