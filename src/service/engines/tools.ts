/** Which tools a model calls, and with what. */
import { badRequest } from '../failure.js';
import { closingToolResults, lastUserText } from './prompts.js';
import type { Prompt, Tool, ToolCallBlock } from './types.js';

type Call = Omit<ToolCallBlock, 'id'>;

/**
 * The calls of a prompt: the tool that `tool_choice` demands, or those that the last user
 * message names. None once tools have answered: then it is the model's turn to speak.
 */
export async function callTools(prompt: Prompt): Promise<Call[]> {
  const chosen = chooseTools(prompt);
  return callEach(prompt.parallelToolCalls ? chosen : chosen.slice(0, 1));
}

/** A call of each tool, with made-up arguments that fit its schema. */
export async function callEach(tools: readonly Tool[]): Promise<Call[]> {
  if (tools.length === 0) return [];
  const [{ bounded }, { sample }, { SchemaTrouble }] = await Promise.all([
    import('./schema/bounded.js'),
    import('./schema/sample.js'),
    import('./schema/schema.js'),
  ]);
  let name = '';
  try {
    // All of them share one limit.
    return bounded(() =>
      tools.map((tool): Call => {
        name = tool.name;
        const value = sample(tool.parameters ?? { type: 'object' });
        return { type: 'toolCall', name, json: JSON.stringify(value) };
      }),
    );
  } catch (error) {
    if (!(error instanceof SchemaTrouble)) throw error;
    throw badRequest(
      `local models cannot make up arguments for the tool "${name}": ${error.message}`,
      'tools',
    );
  }
}

function chooseTools(prompt: Prompt): Tool[] {
  const { tools, toolChoice } = prompt;
  if (typeof toolChoice === 'object') {
    const tool = tools.find(({ name }) => name === toolChoice.name);
    if (!tool) {
      throw badRequest(
        `tool_choice names "${toolChoice.name}", which is not among the tools`,
        'tool_choice',
      );
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
