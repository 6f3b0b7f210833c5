/** Which commands are tools, and how the arguments of a call become a command line. */
import { longFlag, summaryOf, type Option } from '../../cli/declaration.js';
import { globalOptions } from '../../cli/globals.js';
import { route } from '../../cli/route.js';
import { UsageError } from '../../errors.js';
import type { JsonRecord } from '../../lib/json.js';
import { guess } from '../../lib/names.js';
import { plainText } from '../../lib/plain-text.js';
import { entries } from '../index.js';

interface Offered {
  readonly does: 'reads' | 'pays' | 'changes';
  /** The options that a program may set: none that runs a program, opens a window or names an output. */
  readonly options?: string;
  /** Where a call does something else than the command. */
  readonly summary?: string;
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
  'jobs wait': {
    does: 'reads',
    summary: 'wait for media jobs; jobs_download downloads their results',
    options: 'timeout',
    always: ['--no-download'],
    isList: true,
  },
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
  const all = Object.entries(offered).map(toolOf);
  const allowed = allow?.split(',').map((name) => toolNamed(name.trim(), all, '--allow: ')) ?? all;
  const chosen = all.filter((tool) => {
    return allowed.includes(tool) && (!readOnly || tool.does === 'reads');
  });
  if (chosen.length > 0) return chosen;
  const hint = namesOf(all);
  throw new UsageError('--read-only excludes all tools of --allow', { code: 'usage', hint });
}

/** @param option where the name stands, if not in a call. @throws UsageError for an unknown name */
export function toolNamed(name: string, tools: readonly CommandTool[], option = '') {
  const found = tools.find((tool) => tool.name === name);
  if (found) return found;
  const names = tools.map((tool) => tool.name);
  const message = `${option}there is no tool ${JSON.stringify(plainText(name, 60))}`;
  const code = option === '' ? 'no_such_tool' : 'usage';
  throw new UsageError(message + guess(name, names), { code, hint: namesOf(tools) });
}

const namesOf = (tools: readonly CommandTool[]) =>
  `the tools: ${tools.map(({ name }) => name).join(', ')}`;

function toolOf([path, { options: wanted, ...more }]: readonly [string, Offered]) {
  const { declaration } = route(path.split(' '), entries);
  if (!declaration) throw new Error(`there is no command svc ${path}`);
  const { args = [], summary } = declaration;
  const known: Readonly<Record<string, Option>> = { ...globalOptions, ...declaration.options };
  const options = (wanted?.split(' ') ?? []).map((name) => {
    const option = known[name];
    if (!option) throw new Error(`svc ${path} has no option ${name}`);
    return [name, option] as const;
  });
  return { path, name: path.replace(' ', '_'), summary, args, options, ...more };
}

/** A tool as MCP lists it. */
export function listed({ name, does, summary, args, options, isList }: CommandTool) {
  const properties = [
    ...args.map(({ name: key, summary: words, many, choices }) => {
      return [key, textSchema(words, many && isList, choices)] as const;
    }),
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

function textSchema(description: string, isMany = false, choices?: readonly string[]): object {
  const one = { type: 'string', enum: choices };
  return isMany ? { type: 'array', items: one, description } : { ...one, description };
}

function optionSchema(option: Option): object {
  const description = summaryOf(option);
  if (option.type === 'switch') return { type: 'boolean', description, default: option.negated };
  if (option.type === 'duration') return textSchema(`${description}: 30s, 5m`);
  if (option.type === 'text') {
    const { choices, many, value } = option;
    return textSchema(choices ? description : `${value}: ${description}`, many, choices);
  }
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

export const argumentsHint = 'send arguments that fit the inputSchema of the tool';

const refused = (message: string) =>
  new UsageError(message, { code: 'invalid_arguments', hint: argumentsHint });
