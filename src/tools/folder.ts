/** Tools as files: a JSON Schema of the arguments, and the words of a command. */
import { basename, dirname, join, resolve } from 'node:path';
import * as z from 'zod/mini';
import { explain } from '../contract/explain.js';
import { timedOut, UsageError } from '../errors.js';
import { readJsonFile } from '../files/named-file.js';
import type { Clock } from '../lib/clock.js';
import { parseDuration } from '../lib/duration.js';
import { childEnv, type Env } from '../lib/env.js';
import { fieldText, recordOf, type JsonRecord } from '../lib/json.js';
import { plainText } from '../lib/plain-text.js';
import { faultsOfSchema } from '../lib/schema-faults.js';
import { runProgram } from './process.js';
import type { Tool, ToolResult } from './tool.js';

const ToolFile = z.strictObject({
  description: z.optional(z.string()),
  parameters: z._default(z.looseRecord(z.string(), z.unknown()), {
    type: 'object',
    properties: {},
  }),
  argv: z.array(z.string().check(z.minLength(1))).check(z.minLength(1)),
  /** A text with placeholders, which the program reads. */
  stdin: z._default(z.string(), ''),
  timeout: z._default(z.union([z.string(), z.number()]), '30s'),
  /** In bytes. */
  maxOutput: z._default(z.int().check(z.gte(1), z.lte(1024 * 1024)), 64 * 1024),
  /** Variables that it gets although their names look like secrets. */
  env: z._default(z.array(z.string()), []),
});

interface Machine {
  /** Where tools are found by name. */
  readonly folder: string;
  readonly env: Env;
  readonly clock: Clock;
}

/** @param sources names in the folder, or paths of JSON files. @throws UsageError for a bad one */
export async function readTools(sources: readonly string[], machine: Machine): Promise<Tool[]> {
  const tools: Tool[] = [];
  for (const source of sources) {
    const tool = await readTool(source, machine);
    const isTwice = tools.some(({ name }) => name === tool.name);
    if (isTwice) throw invalid(`two tools are called ${tool.name}`);
    tools.push(tool);
  }
  return tools;
}

/** Where a tool is described. @param source its name in the folder, or its path */
export const toolFile = (source: string, folder: string) =>
  source.endsWith('.json') ? resolve(source) : join(folder, `${source}.json`);

async function readTool(source: string, { folder, env, clock }: Machine): Promise<Tool> {
  const isPath = source.endsWith('.json');
  const name = isPath ? basename(source, '.json') : source;
  // The formats accept no other names; so none leads out of the folder.
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    const words = `${JSON.stringify(plainText(name, 100))} is not the name of a tool`;
    throw invalid(words, 'it has at most 64 letters, digits, - and _; a path ends with .json');
  }
  const path = toolFile(source, folder);
  const value = await readJsonFile(path, '--tool').catch((error: unknown) => {
    if (!(error instanceof UsageError)) throw error;
    if (error.code === 'file_too_large') throw invalid(error.message.replace('--tool: ', ''));
    if (isPath || error.code !== 'no_such_file') throw error;
    const details = { code: 'no_such_tool', hint: `describe it in ${path}` } as const;
    throw new UsageError(`no tool is called ${name}`, details);
  });
  const checked = ToolFile.safeParse(value);
  if (!checked.success) throw invalid(`${path}: ${explain(checked.error, value, 'the tool')}`);
  const { argv, description, parameters, stdin, maxOutput, env: passed } = checked.data;
  const timeoutMs = parseDuration(String(checked.data.timeout));
  if (timeoutMs === undefined) throw invalid(`${path}: timeout is not a duration such as 30s`);
  const [program = '', ...words] = argv;
  const known = recordOf(parameters['properties']);
  const used = [...words, stdin].flatMap((text) => slotsIn(text));
  const unknown = used.find((slot) => !Object.hasOwn(known, slot));
  if (slotsIn(program).length > 0) throw invalid(`${path}: the program must not be an argument`);
  if (unknown !== undefined) throw invalid(`${path}: {${unknown}} is not in parameters.properties`);
  const faults = faultsOfSchema({ ...parameters, $schema: undefined });
  if (!faults) throw timedOut(`--tool: ${path}: the check of its parameters`);
  const [fault] = faults;
  if (fault) throw invalid(`${path}: parameters is not a JSON Schema: ${fault}`);
  // A path starts at the file of the tool, never in the working folder.
  const command = /[\\/]/.test(program) ? resolve(dirname(path), program) : program;
  const own = childEnv(env, 'tool', passed);
  const limits = { env: own, clock, timeoutMs, maxOutputBytes: maxOutput };
  const run = async (values: JsonRecord, signal: AbortSignal): Promise<ToolResult> => {
    const args = wordsFor(words, values);
    if (typeof args === 'string') return { text: args, isError: true };
    const lines = filled(stdin, values);
    if (!lines) return { text: tooLong, isError: true };
    return runProgram({ ...limits, command, args, stdin: lines.join('\n') }, signal);
  };
  return { name, description, parameters, run };
}

function invalid(reason: string, hint?: string): UsageError {
  return new UsageError(`--tool: ${reason}`, { code: 'invalid_tool', hint });
}

/** `{{name}}`, which stands for `{name}`, or the argument `{name}`. */
const slot = /\{(\{[A-Za-z_][\w-]*\})\}|\{([A-Za-z_][\w-]*)\}/g;
/** An operating system takes no more in a command. */
const maxCharacters = 2_000_000;
const tooLong = 'The arguments are too long.';

function slotsIn(text: string): string[] {
  return Array.from(text.matchAll(slot)).flatMap(([, , name]) => name ?? []);
}

/** One element stays one argument; a list becomes several, and a missing value none. @returns why not */
function wordsFor(template: readonly string[], args: JsonRecord): readonly string[] | string {
  const words: string[] = [];
  for (const [index, element] of template.entries()) {
    const texts = filled(element, args);
    if (!texts) return tooLong;
    // It could be an option of the program, such as one that runs another.
    const isGuarded = !/^\{(?!\{)/.test(element) || template.slice(0, index).includes('--');
    if (!isGuarded && texts.some((text) => text.startsWith('-'))) {
      return `The argument ${slotsIn(element).join(' or ')} must not start with "-".`;
    }
    words.push(...texts);
  }
  return words;
}

/** A list has several, and a missing value none. */
function textsOf(args: JsonRecord, name: string): string[] {
  const value = Object.hasOwn(args, name) ? (args[name] ?? []) : [];
  if (!Array.isArray(value)) return [fieldText(args, name)];
  return value.map((_, place) => fieldText(value, place));
}

/** @returns undefined for more than fits into a command */
function filled(template: string, args: JsonRecord): string[] | undefined {
  let [texts, at] = [[''], 0];
  for (const { 0: whole, 1: literal, 2: name = '', index } of template.matchAll(slot)) {
    const values = literal === undefined ? textsOf(args, name) : [literal];
    const before = texts.map((text) => text + template.slice(at, index));
    const length = (some: readonly string[]) => some.reduce((sum, one) => sum + one.length + 1, 0);
    const all = length(before) * values.length + length(values) * before.length;
    if (all > maxCharacters) return undefined;
    texts = before.flatMap((text) => values.map((one) => text + one));
    at = index + whole.length;
  }
  return texts.map((text) => text + template.slice(at));
}
