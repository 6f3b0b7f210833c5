/** What a command says about flags, commands and stdin, in the words of tools and their arguments. */
import { longFlag } from '../../command.js';
import { isRecord, parsedJson, recordOf, textOf, toJson } from '../../lib/json.js';
import { argumentsHint, type CommandTool } from './tools.js';

/** A line that a call of `tool` wrote on stderr, for an agent that has `tools`. */
export function lineForAgent(line: string, tool: CommandTool, tools: readonly CommandTool[]) {
  const { error } = recordOf(parsedJson(line));
  if (!isRecord(error)) return inToolWords(line, tool, tools);
  const { message, hint, exit, code } = error;
  const clausesOf = (text: unknown) =>
    (textOf(text) ?? '').split('; ').map((clause) => inToolWords(clause, tool, tools));
  const [what = '', ...more] = clausesOf(message);
  const words = [camelFlags(what.replace(typed, '')), ...more.filter(isForAgent)].join('; ');
  const steps = clausesOf(hint).filter(isForAgent);
  const isUnpaid = tool.does === 'reads' && code === 'max_cost';
  const next = isUnpaid ? neverPays : steps.join('; ') || usualHints.get(exit);
  return toJson({ error: { ...error, message: words, hint: next } });
}

const neverPays = 'this tool pays for nothing: call generate again with the same arguments';
/** How a person gives what is missing. */
const typed = /: [^:]*\b(?:pipe|stdin|terminal)\b.*$/;

/** By exit code, where a hint has no step that an agent can take. */
const usualHints = new Map<unknown, string>([
  [2, argumentsHint],
  [5, 'make something cheaper, or ask the user'],
  [4, 'ask the user to log in to svc, or to correct its settings'],
]);

/** What only a person at a shell can do. */
const ofShell =
  /(?:^|[\s`(])--?[a-z]|\b(?:stdin|stdout|pipe|terminal)\b|(?:^|[:`] ?|see )svc \S|^$/;
const isForAgent = (clause: string) => !ofShell.test(clause);

/** `maxCost` for `--max-cost`, also where the tool has no such argument: svc mcp may have it. */
const camelFlags = (text: string) =>
  text.replace(/(?<![\w-])--([a-z][a-z-]*)/g, (_, name: string) =>
    name.replace(/-(\w)/g, (_dash, letter: string) => letter.toUpperCase()),
  );

function inToolWords(text: string, tool: CommandTool, tools: readonly CommandTool[]) {
  const named = text.replace(commands, (all: string, ...found: (string | undefined)[]) => {
    const [start = '', quoted = '', bare = ''] = found;
    const words = `${quoted}${bare} `.replace(/^(?:--local |--(?:profile|base-url) \S+ )+/, '');
    if (/^generate \S+ --help/.test(words)) return `${start}models_capabilities`;
    const { name } = tools.find(({ path }) => words.startsWith(`${path} `)) ?? {};
    // A whole clause is the line to type, of the command that was run.
    const isLine = start !== ' ' && name === tool.name;
    return name === undefined || isLine || words.includes('--help') ? all : start + name;
  });
  const names = new Map<string, string>();
  for (const [name, option] of tool.options) {
    const isOff = option.type === 'switch' && option.negated;
    names.set(longFlag(name, option), isOff ? `${name}: false` : name);
    if (option.short) names.set(`-${option.short}`, name);
  }
  return named.replace(/(?<![\w-])--?[a-z][a-z-]*/g, (flag) => names.get(flag) ?? flag);
}

/** With the blank before them. */
const commands = /( |^)(?:`svc ([^`\n]+)`|svc ([^;,`\n]+))/g;
