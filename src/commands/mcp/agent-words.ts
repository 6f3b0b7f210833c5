/** What a command says about flags, commands and stdin, in the words of tools and their arguments. */
import { longFlag } from '../../command.js';
import { isRecord, parsedJson, recordOf, textOf, toJson } from '../../lib/json.js';
import { argumentsHint, type CommandTool } from './tools.js';

/** A line that a call of `tool` wrote on stderr, for an agent that has `tools`. */
export function lineForAgent(line: string, tool: CommandTool, tools: readonly CommandTool[]) {
  const { error } = recordOf(parsedJson(line));
  if (!isRecord(error)) return inToolWords(line, tool, tools);
  const { message, hint, exit, code } = error;
  const [what = '', ...more] = clauses(inToolWords(textOf(message) ?? '', tool, tools));
  const words = [camelFlags(what), ...more.filter(isForAgent)].join('; ');
  const steps = clauses(inToolWords(textOf(hint) ?? '', tool, tools)).filter(isForAgent);
  const isUnpaid = tool.does === 'reads' && code === 'max_cost';
  const next = isUnpaid ? neverPays : steps.join('; ') || usualHints.get(exit);
  return toJson({ error: { ...error, message: words, hint: next } });
}

const neverPays = 'this tool pays for nothing: call generate again with the same arguments';

/** By exit code, where a hint has no step that an agent can take. */
const usualHints = new Map<unknown, string>([
  [2, argumentsHint],
  [4, 'ask the user to log in to svc, or to correct its settings'],
]);

const clauses = (text: string) => text.split('; ');

/** Whether a clause names nothing that only a person at a shell can do. */
function isForAgent(clause: string): boolean {
  return !/(?:^|[\s`(])--?[a-z]|\b(?:stdin|stdout|pipe|terminal)\b|(?:^|[:`] ?)svc \S|^$/.test(
    clause,
  );
}

/** `maxCost` for `--max-cost`, also where the tool has no such argument: svc mcp may have it. */
const camelFlags = (text: string) =>
  text.replace(/(?<![\w-])--([a-z][a-z-]*)/g, (_, name: string) =>
    name.replace(/-(\w)/g, (_dash, letter: string) => letter.toUpperCase()),
  );

function inToolWords(text: string, { options }: CommandTool, tools: readonly CommandTool[]) {
  const named = text.replace(
    /`svc ([^`\n]+)`|\bsvc ([^;,`\n]+)/g,
    (all: string, ...found: string[]) => {
      const words = (found[0] ?? found[1] ?? '').replace(
        /^(?:--local |--(?:profile|base-url) \S+ )+/,
        '',
      );
      return tools.find(({ path }) => `${words} `.startsWith(`${path} `))?.name ?? all;
    },
  );
  const names = new Map<string, string>();
  for (const [name, option] of options) {
    const isOff = option.type === 'switch' && option.negated;
    names.set(longFlag(name, option), isOff ? `${name}: false` : name);
    if (option.short) names.set(`-${option.short}`, name);
  }
  return named.replace(/(?<![\w-])--?[a-z][a-z-]*/g, (flag) => names.get(flag) ?? flag);
}
