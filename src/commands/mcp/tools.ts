/** Which commands are tools, and how the arguments of a call become a command line. */
import { longFlag, summaryOf, type Argument, type Option } from '../../cli/declaration.js';
import { globalOptions } from '../../cli/globals.js';
import { UsageError } from '../../errors.js';
import type { JsonRecord } from '../../lib/json.js';
import { guess } from '../../lib/names.js';
import { plainText } from '../../lib/plain-text.js';
import { entries } from '../index.js';

interface Offered {
  readonly does: 'reads' | 'pays' | 'changes';
  /** The options that a program may set: none that runs a program, opens a window or names an output. */
  readonly options?: string;
  /** Words of every call. */
  readonly always?: readonly string[];
  /** Whether it takes -o, which is then the folder for results. */
  readonly hasFiles?: true;
  /** Whether the words of its last argument are separate, and not one text. */
  readonly isList?: true;
}

const offered: Readonly<Record<string, Offered>> = {
  chat: {
    does: 'pays',
    options:
      'model system continue conversation attach file search format maxTokens fit temperature topP reasoningEffort jsonObject schema schemaMulti timeout',
  },
  generate: {
    does: 'pays',
    options: 'opt input strict quote maxPrice wait new timeout',
    hasFiles: true,
  },
  'jobs list': { does: 'reads', options: 'all' },
  'jobs show': { does: 'reads' },
  // Results may belong where an earlier command said; `jobs download` puts them into the folder.
  'jobs wait': { does: 'reads', options: 'timeout', always: ['--no-download'], isList: true },
  'jobs download': { does: 'changes', hasFiles: true, isList: true },
  'image create': { does: 'pays', options: 'model size quality new timeout', hasFiles: true },
  speak: { does: 'pays', options: 'model voice format speed maxChars new', hasFiles: true },
  transcribe: { does: 'pays', options: 'model language split new' },
  search: { does: 'pays', options: 'limit mode country language region' },
  embed: { does: 'pays', options: 'model file similar limit', isList: true },
  decide: { does: 'pays', options: 'state model choice option score level noul' },
  'models list': { does: 'reads', options: 'type all variants match sort' },
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

export type CommandTool = ReturnType<typeof toolOf>;

/** @throws UsageError for a name in `allow` that no tool has, or when no tool is left. */
export function chooseTools({ allow, readOnly }: { allow?: string; readOnly?: boolean }) {
  const all = Object.keys(offered).map(toolOf);
  const names = all.map(({ name }) => name);
  const allowed = allow?.split(',').map((name) => name.trim());
  const hint = `the tools: ${names.join(', ')}`;
  for (const name of allowed ?? []) {
    if (names.includes(name)) continue;
    const message = `--allow: there is no tool ${JSON.stringify(plainText(name, 60))}`;
    throw new UsageError(message + guess(name, names), { code: 'usage', hint });
  }
  const chosen = all.filter(({ name, does }) => {
    return (allowed?.includes(name) ?? true) && (!readOnly || does === 'reads');
  });
  if (chosen.length > 0) return chosen;
  throw new UsageError('--read-only excludes all tools of --allow', { code: 'usage', hint });
}

function toolOf(path: string) {
  const { does, options: wanted = '', ...more } = offered[path] ?? { does: 'reads' };
  const [first, verb] = path.split(' ');
  const entry = entries.find(({ name }) => name === first);
  const found = entry && 'commands' in entry ? entry.commands : [entry];
  const declared = found.find((one) => !verb || one?.name === verb);
  const { args = [], options: own = {}, summary } = declared ?? {};
  const known: Readonly<Record<string, Option>> = { ...globalOptions, ...own };
  const options = (wanted.match(/\S+/g) ?? []).map((name) => {
    const option = known[name];
    if (!declared || !option) throw new Error(`svc ${path} has no option ${name}`);
    return [name, option] as const;
  });
  return { path, name: path.replace(' ', '_'), does, summary, args, options, ...more };
}

/** A tool as MCP lists it. */
export function listed({ name, does, summary = '', args, options, isList }: CommandTool) {
  const properties = [
    ...args.map((one) => [one.name, argumentSchema(one, isList)] as const),
    ...options.map(([key, option]) => [key, optionSchema(option)] as const),
  ];
  const price = does === 'pays' ? '. This costs money; the price in RUB is in `cost`' : '';
  return {
    name,
    description: summary + price,
    inputSchema: {
      type: 'object' as const,
      properties: Object.fromEntries(properties),
      required: args.filter(({ required }) => required).map((one) => one.name),
      additionalProperties: false,
    },
    annotations: { readOnlyHint: does === 'reads', destructiveHint: false },
  };
}

function argumentSchema({ summary, choices, many }: Argument, isList = false): object {
  const one = { type: 'string', enum: choices };
  return many && isList
    ? { type: 'array', items: one, description: summary }
    : { ...one, description: summary };
}

function optionSchema(option: Option): object {
  const description = summaryOf(option);
  if (option.type === 'switch') return { type: 'boolean', description, default: option.negated };
  if (option.type === 'text') {
    const { choices, many, value } = option;
    const one = { type: 'string', enum: choices };
    const words = choices ? description : `${value}: ${description}`;
    return many
      ? { type: 'array', items: one, description: words }
      : { ...one, description: words };
  }
  if (option.type === 'duration') return { type: 'string', description: `${description}: 30s, 5m` };
  return { type: option.type, minimum: option.min, maximum: option.max, description };
}

/** The command line of a call, whose values svc checks. @throws UsageError for other arguments */
export function wordsFor(tool: CommandTool, given: JsonRecord, folder: string): string[] {
  const { path, name, args, options, always = [], hasFiles } = tool;
  const known = [...args.map((one) => one.name), ...options.map(([key]) => key)];
  for (const key of Object.keys(given)) {
    if (known.includes(key)) continue;
    const unknown = JSON.stringify(plainText(key, 60));
    throw refused(`${name} has no argument ${unknown}${guess(key, known)}`);
  }
  const flags = options.flatMap(([key, option]) => {
    const value = given[key];
    if (value === undefined || value === null) return [];
    const long = longFlag(key, option);
    if (option.type !== 'switch') return textsIn(key, value).flatMap((text) => [long, text]);
    if (typeof value !== 'boolean') throw refused(`${key} must be true or false`);
    return value === (option.negated !== true) ? [long] : [];
  });
  const operands = args.map((one) => textsIn(one.name, given[one.name] ?? []));
  const missing = args.find(({ required }, at) => required && operands[at]?.length === 0);
  if (missing) throw refused(`${name} needs the argument ${missing.name}`);
  const hasResults = hasFiles && !flags.includes('--no-wait') && !flags.includes('--quote');
  const output = hasResults ? ['-o', `${folder}/`] : [];
  return [...path.split(' '), ...always, ...output, ...flags, '--', ...operands.flat()];
}

function textsIn(name: string, value: unknown): string[] {
  return [value].flat().map((one) => {
    if (typeof one === 'string' || typeof one === 'number') return String(one);
    throw refused(`${name} must be a text or a number, or a list of them`);
  });
}

const refused = (message: string) =>
  new UsageError(message, {
    code: 'invalid_arguments',
    hint: 'send arguments that fit the inputSchema of the tool',
  });
