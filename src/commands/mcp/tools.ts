/** Which commands are tools, and how the arguments of a call become a command line. */
import { longFlag, summaryOf, type Argument, type Option } from '../../command.js';
import type { Program } from '../../context.js';
import { globalOptions } from '../../global-flags.js';
import { UsageError } from '../../errors.js';
import type { JsonRecord } from '../../lib/json.js';
import { guess } from '../../lib/names.js';
import { plainText } from '../../lib/plain-text.js';

interface Offer {
  readonly does: 'reads' | 'pays' | 'changes';
  /** The options that a program may set: none that runs a program, opens a window or names an output. */
  readonly options?: string;
  /** Where a call does something else than the command. */
  readonly summary?: string;
  /** What its options do, where their summaries say something else. */
  readonly words?: Readonly<Record<string, string>>;
  /** Words of every call. */
  readonly always?: readonly string[];
  /** Whether it takes -o, which is then the folder for results. */
  readonly hasFiles?: true;
  /** Whether the words of its last argument are separate, and not one text. */
  readonly isList?: true;
}

const offered: Readonly<Record<string, Offer>> = {
  chat: {
    does: 'pays',
    options:
      'model system continue conversation attach file search format maxTokens shorten temperature topP reasoningEffort jsonObject schema schemaMulti timeout',
  },
  generate: {
    does: 'pays',
    options: 'opt input strict quote maxCost wait new timeout',
    words: {
      wait: 'wait for the results; if false, return the job id at once: the job continues without svc',
    },
    hasFiles: true,
  },
  'jobs list': { does: 'reads', options: 'all limit' },
  'jobs show': { does: 'reads' },
  // Results may belong where an earlier command said; `jobs download` puts them into the folder.
  'jobs wait': {
    does: 'reads',
    summary: 'wait for media jobs; jobs_download downloads their results',
    options: 'timeout',
    always: ['--no-download'],
    isList: true,
  },
  'jobs download': { does: 'changes', hasFiles: true, isList: true },
  'image create': { does: 'pays', options: 'model size quality quote new timeout', hasFiles: true },
  speak: { does: 'pays', options: 'model voice format speed maxChars new', hasFiles: true },
  transcribe: { does: 'pays', options: 'model language split new' },
  search: { does: 'pays', options: 'limit mode country language region' },
  embed: { does: 'pays', options: 'model file similar limit', isList: true },
  decide: { does: 'pays', options: 'state model choice option score level yesNo' },
  'models list': { does: 'reads', options: 'type all variants match sort limit' },
  'models show': { does: 'reads' },
  'models capabilities': { does: 'reads', options: 'page limit match' },
  'models media': { does: 'reads', options: 'match sort' },
  balance: { does: 'reads' },
  'usage list': { does: 'reads', options: 'since until page limit' },
  'usage show': { does: 'reads' },
  'usage chart': { does: 'reads', options: 'since until by' },
  'tickets list': { does: 'reads', options: 'status limit after' },
  'tickets show': { does: 'reads' },
  'tickets create': {
    does: 'changes',
    options: 'subject message category requestId incidentId followUp',
  },
  'tickets reply': { does: 'changes' },
};

/** A command that is offered as a tool. */
export interface CommandTool extends Omit<Offer, 'options'> {
  /** Its path, joined by _. */
  readonly name: string;
  /** The words that name the command. */
  readonly path: string;
  readonly summary: string;
  readonly args: readonly Argument[];
  /** The options that a program may set. */
  readonly options: readonly (readonly [name: string, option: Option])[];
}

/** @throws UsageError for a name in `allow` that no tool has, or when no tool is left. */
export function chooseTools(
  program: Program,
  { allow, readOnly }: { allow?: string; readOnly?: boolean },
) {
  const all = Object.entries(offered).map(([path, offer]) => toolOf(program, path, offer));
  const allowed = allow?.split(',').map((name) => toolNamed(name.trim(), all, '--allow: ')) ?? all;
  const chosen = all.filter((tool) => {
    return allowed.includes(tool) && (!readOnly || tool.does === 'reads');
  });
  if (chosen.length > 0) return chosen;
  const hint = namesOf(all);
  throw new UsageError('--read-only excludes all tools of --allow', { hint });
}

/** @param option where the name stands, if not in a call. @throws UsageError for an unknown name */
export function toolNamed(name: string, tools: readonly CommandTool[], option = '') {
  const match = tools.find((tool) => tool.name === name);
  if (match) return match;
  const names = tools.map((tool) => tool.name);
  const message = `${option}there is no tool ${JSON.stringify(plainText(name, 60))}`;
  const code = option === '' ? 'no_such_tool' : 'usage';
  throw new UsageError(message + guess(name, names), { code, hint: namesOf(tools) });
}

const namesOf = (tools: readonly CommandTool[]) =>
  `the tools: ${tools.map(({ name }) => name).join(', ')}`;

function toolOf({ entries }: Program, path: string, offer: Offer): CommandTool {
  const [name, verb] = path.split(' ');
  const entry = entries.find((one) => one.name === name);
  const declaration =
    entry && 'commands' in entry ? entry.commands.find((one) => one.name === verb) : entry;
  if (!declaration) throw new Error(`there is no command svc ${path}`);
  const { args = [], summary } = declaration;
  const known: Readonly<Record<string, Option>> = { ...globalOptions, ...declaration.options };
  const options = (offer.options?.split(' ') ?? []).map((name) => {
    const option = known[name];
    if (!option) throw new Error(`svc ${path} has no option ${name}`);
    return [name, option] as const;
  });
  return { summary, ...offer, path, name: path.replace(' ', '_'), args, options };
}

/** A tool as MCP lists it. */
export function listed(tool: CommandTool) {
  const { name, does, summary, args } = tool;
  const price = does === 'pays' ? '. This costs money; the price in RUB is in `cost`' : '';
  return {
    name,
    description: summary + price,
    inputSchema: {
      type: 'object' as const,
      properties: Object.fromEntries(schemasOf(tool)),
      required: args.filter(({ required }) => required).map((one) => one.name),
      additionalProperties: false,
    },
    annotations: { readOnlyHint: does === 'reads', destructiveHint: false },
  };
}

interface ArgumentSchema {
  readonly type: keyof typeof typeWords | 'array';
  readonly description: string;
  /** Of a list. */
  readonly items?: { readonly type: 'string' };
}

const typeWords = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
};

function schemasOf({ args, options, isList, words }: CommandTool): Map<string, ArgumentSchema> {
  return new Map([
    ...args.map(({ name, summary, many, choices }) => {
      return [name, textSchema(forAgent(summary), many && isList, choices)] as const;
    }),
    ...options.map(([key, option]) => {
      const says = words?.[key] ?? forAgent(summaryOf(option));
      return [key, optionSchema(option, says)] as const;
    }),
  ]);
}

/** Without what only a command line can do, and with the tools in place of commands. */
const forAgent = (summary: string) =>
  summary
    .replace(/; may be repeated$|, or - for stdin$|; - is stdin$/, '')
    .replace(/`svc (\w+) (\w+)[^`]*`/, '$1_$2');

function textSchema(description: string, isMany = false, choices?: readonly string[]) {
  const one = { type: 'string' as const, enum: choices };
  if (!isMany) return { ...one, description };
  return { type: 'array' as const, items: one, description };
}

function optionSchema(option: Option, description: string) {
  if (option.type === 'switch') {
    return { type: 'boolean' as const, description, default: option.negated };
  }
  if (option.type === 'duration') return textSchema(description);
  if (option.type === 'text') {
    const { choices, many, value } = option;
    return textSchema(choices ? description : `${value}: ${description}`, many, choices);
  }
  return { type: option.type, minimum: option.min, maximum: option.max, description };
}

/** The command line of a call, whose values svc checks. @throws UsageError for other arguments */
export function wordsFor(tool: CommandTool, values: JsonRecord, folder: string): string[] {
  const { path, name, args, options, always = [], hasFiles } = tool;
  const schemas = schemasOf(tool);
  for (const key of Object.keys(values)) {
    if (schemas.has(key)) continue;
    const unknown = JSON.stringify(plainText(key, 60));
    throw refusal(`${name} has no argument ${unknown}${guess(key, [...schemas.keys()])}`);
  }
  const flags = options.flatMap(([key, option]) => {
    const value = values[key];
    if (value === undefined || value === null) return [];
    const long = longFlag(key, option);
    const texts = textsIn(key, value, schemas.get(key));
    if (option.type !== 'switch') return texts.flatMap((text) => [long, text]);
    return value === (option.negated !== true) ? [long] : [];
  });
  const operands = args.map((one) =>
    textsIn(one.name, values[one.name] ?? [], schemas.get(one.name)),
  );
  const missing = args.find(({ required }, at) => required && operands[at]?.length === 0);
  if (missing) throw refusal(`${name} needs the argument ${missing.name}`);
  const hasResults = hasFiles && !flags.includes('--no-wait') && !flags.includes('--quote');
  const output = hasResults ? ['-o', `${folder}/`] : [];
  return [...path.split(' '), ...always, ...output, ...flags, '--', ...operands.flat()];
}

/** The texts of an argument; one value may stand for a list. @throws UsageError for a misfit */
function textsIn(name: string, value: unknown, schema?: ArgumentSchema): string[] {
  const { type = 'string', items } = schema ?? {};
  const itemType = type === 'array' ? 'string' : type;
  const isNone = Array.isArray(value) && value.length === 0;
  return (items || isNone ? [value].flat() : [value]).map((one) => {
    if (itemType === 'integer' ? Number.isInteger(one) : typeof one === itemType)
      return String(one);
    throw refusal(`${name} must be ${typeWords[itemType]}${items ? ', or a list of them' : ''}`);
  });
}

export const argumentsHint = 'send arguments that fit the inputSchema of the tool';

const refusal = (message: string) =>
  new UsageError(message, { code: 'invalid_arguments', hint: argumentsHint });
