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
  return Promise.all(
    (prompt.parallelToolCalls ? chosen : chosen.slice(0, 1)).map((tool) => callTool(tool)),
  );
}

/** A call of one tool, with made-up arguments that fit its schema. */
export async function callTool(tool: Tool): Promise<Call> {
  const { sample } = await import('./schema/sample.js');
  const { SchemaTrouble } = await import('./schema/schema.js');
  try {
    const value = sample(tool.parameters ?? { type: 'object' });
    return { type: 'toolCall', name: tool.name, json: JSON.stringify(value) };
  } catch (error) {
    if (!(error instanceof SchemaTrouble)) throw error;
    throw badRequest(
      `local models cannot make up arguments for the tool "${tool.name}": ${error.message}`,
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
  const words = new Set(text.match(/[\p{L}\p{N}_.-]+/gu)?.flatMap((word) => [word, bare(word)]));
  return tools.filter((tool) => words.has(tool.name));
}

/** A word without the full stop or dash that ends a sentence. */
function bare(word: string): string {
  return word.replace(/^[.-]+|[.-]+$/g, '');
}
