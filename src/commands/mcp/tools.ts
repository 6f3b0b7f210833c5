/** Which commands are tools, and how the arguments of a call become a command line. */
import { longFlag, type Argument, type Option } from '../../command.js';
import type { Program } from '../../context.js';
import { globalOptions } from '../../global-flags.js';
import { UsageError } from '../../errors.js';
import type { JsonRecord } from '../../lib/json.js';
import { guess } from '../../lib/names.js';
import { plainText } from '../../lib/plain-text.js';
import { offered, type Offer } from './offered.js';

/** A command that is offered as a tool. */
export interface CommandTool extends Omit<Offer, 'options' | 'unlisted'> {
  /** Its path, joined by _. */
  readonly name: string;
  /** The words that name the command. */
  readonly path: string;
  readonly args: readonly Argument[];
  /** The options that a program may set. */
  readonly options: readonly (readonly [name: string, option: Option])[];
  /** The schema of each argument, by its name: first the operands. */
  readonly properties: ReadonlyMap<string, ArgumentSchema>;
  /** Those of them that a call may have and the list leaves out. */
  readonly unlisted: ReadonlySet<string>;
}

/** @throws UsageError for a name in `names` that no tool has, or when no tool is left. */
export function chooseTools(
  program: Program,
  { tools: names, readOnly }: { tools?: string; readOnly?: boolean },
) {
  const all = Object.entries(offered).map(([path, offer]) => toolOf(program, path, offer));
  const named = names?.split(',').map((name) => toolNamed(name.trim(), all, '--tools: ')) ?? all;
  const chosen = all.filter((one) => named.includes(one) && (!readOnly || one.does === 'reads'));
  if (chosen.length > 0) return chosen;
  throw new UsageError('--read-only excludes all tools of --tools', { hint: namesOf(all) });
}

/** @param option where the name stands, if not in a call. @throws UsageError for an unknown name */
export function toolNamed(name: string, tools: readonly CommandTool[], option = '') {
  const match = tools.find((tool) => tool.name === name);
  if (match) return match;
  const names = tools.map((tool) => tool.name);
  const shown = plainText(name, 60);
  // The words of the specification for a call; a program may look for them.
  const [code, message] =
    option === ''
      ? (['no_such_tool', `Unknown tool: ${shown}`] as const)
      : (['usage', `${option}there is no tool ${JSON.stringify(shown)}`] as const);
  throw new UsageError(message + guess(name, names), { code, hint: namesOf(tools) });
}

/** Whether the same call resumes what an earlier one has begun, and pays for it once. */
export const isResumed = ({ properties }: CommandTool) => properties.has('new');

const namesOf = (tools: readonly CommandTool[]) =>
  `the tools: ${tools.map(({ name }) => name).join(', ')}`;

function toolOf({ entries }: Program, path: string, offer: Offer): CommandTool {
  const [name, verb] = path.split(' ');
  const entry = entries.find((one) => one.name === name);
  const declaration =
    entry && 'commands' in entry ? entry.commands.find((one) => one.name === verb) : entry;
  if (!declaration) throw new Error(`there is no command svc ${path}`);
  const { args = [] } = declaration;
  const known: Readonly<Record<string, Option>> = { ...globalOptions, ...declaration.options };
  const { does, isList, words = {} } = offer;
  const properties = new Map<string, ArgumentSchema>();
  for (const { name, many, choices } of args)
    properties.set(name, schemaOf({ type: 'text', choices, many: many && isList }, words[name]));
  const unlisted = new Set(offer.unlisted?.split(' '));
  const own = offer.options?.split(' ') ?? [];
  const options = [...own, ...(does === 'pays' ? ['maxCost'] : []), ...unlisted].map((word) => {
    const [name = word, isMany] = word.split('[');
    const option = known[name];
    if (!option) throw new Error(`svc ${path} has no option ${name}`);
    properties.set(name, schemaOf({ ...option, many: isMany !== undefined }, words[name]));
    return [name, option] as const;
  });
  return { ...offer, path, name: path.replace(' ', '_'), args, options, properties, unlisted };
}

const hints = ['readOnly', 'destructive', 'idempotent', 'openWorld'] as const;

/** Which hints are true. codex runs unasked what only reads, or neither destroys nor leaves its own world. */
const annotations: Readonly<Record<Offer['does'], readonly (typeof hints)[number][]>> = {
  reads: ['readOnly', 'idempotent'],
  pays: ['openWorld'],
  changes: ['openWorld'],
  ends: ['destructive', 'idempotent', 'openWorld'],
};

/** A tool as MCP lists it: every word of it is read by a model that may never call it. */
export function listed({ name, about, does, args, gives, properties, unlisted }: CommandTool) {
  const required = args.filter((one) => one.required).map((one) => one.name);
  return {
    name,
    description: about,
    inputSchema: {
      type: 'object' as const,
      properties: Object.fromEntries([...properties].filter(([one]) => !unlisted.has(one))),
      ...(required.length > 0 && { required }),
    },
    // Neither is the field required: a long result is in a file, and clients refuse what does not fit, after the call.
    ...(does === 'reads' && {
      outputSchema: { type: 'object' as const, ...(gives && { properties: { [gives]: {} } }) },
    }),
    annotations: Object.fromEntries(
      hints.map((one) => [`${one}Hint`, annotations[does].includes(one)]),
    ),
  };
}

interface ArgumentSchema {
  readonly type: keyof typeof typeWords | 'array';
  readonly enum?: readonly string[];
  /** Of a list. */
  readonly items?: { readonly type: 'string' };
  readonly description?: string;
}

const typeWords = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
};

/** Bounds are left out: some clients drop them, and a refusal of svc says them. */
function schemaOf(
  { type, choices, many }: { type: Option['type']; choices?: readonly string[]; many?: boolean },
  description?: string,
): ArgumentSchema {
  const words = description === undefined ? {} : { description };
  if (many) return { type: 'array', items: { type: 'string' }, ...words };
  if (type === 'switch') return { type: 'boolean', ...words };
  if (type === 'number' || type === 'integer') return { type, ...words };
  const isShort = choices && choices.length < 3;
  return { type: 'string', ...(isShort && { enum: choices }), ...words };
}

/** The command line of a call, whose values svc checks. @throws UsageError for other arguments */
export function wordsFor(tool: CommandTool, values: JsonRecord, folder: string): string[] {
  const { path, name, args, options, always = [], first, hasFiles, properties: schemas } = tool;
  for (const key of Object.keys(values)) {
    if (schemas.has(key)) continue;
    const unknown = JSON.stringify(plainText(key, 60));
    throw refusal(`${name} has no argument ${unknown}${guess(key, [...schemas.keys()])}`);
  }
  const flags = options.flatMap(([key, option]) => {
    const value = values[key];
    if (value === undefined || value === null) return [];
    const long = longFlag(key, option);
    const takesMany = option.type === 'text' && option.many === true;
    const texts = textsIn(key, value, schemas.get(key), takesMany);
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
  const isWhole = first === undefined || (values['limit'] ?? undefined) !== undefined;
  const limit = isWhole ? [] : ['--limit', String(first)];
  return [...path.split(' '), ...always, ...limit, ...output, ...flags, '--', ...operands.flat()];
}

/** Stdin and the other pipes of svc: a tool that read them would take the messages of the agent. */
const stdinNames = /^(?:[\w.-]+=)?@?(?:-|\/dev\/(?:fd\/\d+|stdin)|\/proc\/[^/]+\/fd\/\d+)$/;

/** The texts of an argument; one value may stand for a list. @throws UsageError for a misfit */
function textsIn(
  name: string,
  value: unknown,
  schema?: ArgumentSchema,
  takesMany = schema?.items !== undefined,
): string[] {
  const { type = 'string' } = schema ?? {};
  const itemType = type === 'array' ? 'string' : type;
  const isNone = Array.isArray(value) && value.length === 0;
  return (takesMany || isNone ? [value].flat() : [value]).map((one) => {
    if (typeof one === 'string' && stdinNames.test(one))
      throw refusal(`${name} cannot be ${JSON.stringify(plainText(one, 60))}`);
    if (itemType === 'integer' ? Number.isInteger(one) : typeof one === itemType)
      return String(one);
    throw refusal(
      `${name} must be ${typeWords[itemType]}${takesMany ? ', or a list of them' : ''}`,
    );
  });
}

export const argumentsHint = 'send arguments that fit the inputSchema of the tool';

const refusal = (message: string) =>
  new UsageError(message, { code: 'invalid_arguments', hint: argumentsHint });
