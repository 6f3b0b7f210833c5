/** Templates: options and a prompt of `svc chat` under a name, in YAML files that people edit. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { longFlag, text, type Options } from '../command.js';
import type { Context } from '../context.js';
import { UsageError } from '../errors.js';
import { failing } from '../files/file-trouble.js';
import { readText } from '../files/named-file.js';
import { PartFile } from '../files/part-file.js';
import { stringify, yamlIn } from '../files/yaml.js';
import { isRecord, listOf, recordOf, textOf, valueText, type JsonRecord } from '../lib/json.js';
import { folded, guess } from '../lib/names.js';
import { makeFolder } from '../lib/own-file.js';
import { joinText, plainText } from '../lib/plain-text.js';

export interface Template {
  /** Its file as it is. */
  readonly source: string;
  /** The fields of the file. */
  readonly fields: JsonRecord;
  /** The options of svc chat that it sets, and `prompt`. */
  readonly options: JsonRecord;
  /** Its parameters with defaults. */
  readonly params: ReadonlyMap<string, string>;
  /** All its parameters, but for `input`. */
  readonly names: readonly string[];
}

/** The command line that a template stands for: svc chat with its prompt and parameters as options. */
function templateLine({ program }: Context) {
  const { declaration } = program.route(['chat']);
  if (!declaration) throw new Error('there is no command svc chat');
  const own = Object.entries(declaration.options ?? {}).filter(
    ([key]) => !/^(template|param|save|cache)$/.test(key),
  );
  const added = { params: text('FIELDS', ''), prompt: text('TEXT', '') };
  const options: Options = { ...Object.fromEntries(own), ...added };
  return { ...declaration, heading: 'Text' as const, options };
}

/** The options that differ from those of an empty line, which are the others. */
function typedIn(context: Context, options: JsonRecord) {
  const unset = optionsOf(context, [], '');
  const known = templateLine(context).options;
  const isTyped = ([key, value]: [string, unknown]) =>
    key in known && JSON.stringify(value) !== JSON.stringify(unset[key]);
  return { typed: Object.fromEntries(Object.entries(options).filter(isTyped)), unset };
}

/**
 * A line of svc chat made of a template: its options, and what puts a text into its prompt.
 * @param line the options of the line, which override those of the template where they are typed
 */
export async function fillTemplate(
  context: Context,
  name: string,
  line: JsonRecord,
  values: ReadonlyMap<string, string>,
) {
  const { options, params, names } = await readTemplate(context, name);
  const { typed, unset } = typedIn(context, line);
  // As other template languages write it; here it stands for the text with one pair of braces.
  const text = ['prompt', 'system'].map((field) => textOf(options[field])).join('\n');
  const inPairs = Array.from(text.matchAll(/\{\{\s*([^{}]*?)\s*\}\}/g), ([, one]) => one);
  const doubled = ['input', ...params.keys(), ...values.keys()].find(
    (one) => inPairs.includes(one) && !namesIn(text).includes(one),
  );
  if (doubled !== undefined) throw refusal(name, `write {${doubled}} in place of {{${doubled}}}`);
  const [unknown] = [...values.keys()].filter((one) => !names.includes(one));
  if (unknown !== undefined) throw refusal(name, `unknown parameter ${guessed(unknown, names)}`);
  const merged: Record<string, unknown> = { ...options, ...typed };
  const prompt = textOf(merged['prompt']) ?? '';
  delete merged['prompt'];
  const system = typed['system'] === undefined ? textOf(options['system']) : undefined;
  const filled = new Map([...params, ...values]);
  const needed = namesIn(prompt, system);
  const missing = needed.filter((one) => one !== 'input' && !filled.has(one));
  if (missing.length > 0) {
    const flags = missing.map((one) => `-p ${one}=VALUE`).join(' ');
    throw new UsageError(`template ${name} needs ${flags}`, { code: 'missing_parameter' });
  }
  const frame = (input: string, isAlone: boolean) => {
    if (!needed.includes('input')) return joinText(fill(prompt, filled), input);
    if (!isAlone || input.trim() !== '') return fill(prompt, filled.set('input', input));
    throw new UsageError(`template ${name} needs a text for {input}`, { code: 'empty_prompt' });
  };
  if (system !== undefined) merged['system'] = fill(system, filled);
  return { options: { ...unset, ...merged }, frame };
}

/** @throws UsageError for a template that cannot be used */
export async function readTemplate(context: Context, name: string): Promise<Template> {
  const source = await readText(await templatePath(context, name));
  const fields = yamlIn(source, `template ${name}`, 'bad_template') ?? {};
  if (!isRecord(fields)) throw refusal(name, 'it has no fields such as `model: vendor/model`');
  const { params: defaults, ...others } = fields;
  const words = Object.entries(others).map(([field, value]) => {
    if (value === true) return [`--${field}`];
    const all = [value].flat().filter((one) => one !== null && one !== false);
    return all.map((one) => `--${field}=${valueText(one)}`);
  });
  // Each by itself: an option without a value would take the next word.
  for (const one of words) optionsOf(context, one, name);
  const options = optionsOf(context, words.flat(), name);
  const system = namesIn(textOf(options['system']));
  if (system.includes('input')) throw refusal(name, '{input} belongs in prompt, not in system');
  const set = Object.entries(recordOf(defaults)).filter(([, value]) => value !== null);
  const params = new Map(set.map(([key, value]) => [key, valueText(value)]));
  const names = new Set([...params.keys(), ...namesIn(textOf(options['prompt'])), ...system]);
  names.delete('input');
  return { source, fields, options, params, names: [...names] };
}

/** @throws UsageError for what is not an option of chat, or not a value of it */
function optionsOf(
  context: Context,
  words: readonly string[],
  name: string,
): Record<string, unknown> {
  const line = [templateLine(context)];
  const { invocation, refusal: fault } = context.program.parse(['chat', ...words], line);
  const [global] = Object.keys(invocation?.globals ?? {});
  if (invocation && global === undefined) return { ...invocation.options };
  throw refusal(name, fault ?? `unknown option --${global ?? 'help'}`);
}

function refusal(name: string, why: string): UsageError {
  const hint = `svc templates edit ${name}`;
  return new UsageError(`template ${name}: ${why}`, { code: 'bad_template', hint });
}

function guessed(word: string, names: readonly string[]): string {
  return JSON.stringify(plainText(word, 100)) + guess(word, names);
}

/** `{{name}}`, which stands for `{name}`, or the parameter `{name}`. */
const slot = /\{(\{[\p{L}_][\p{L}\p{N}_-]*\})\}|\{([\p{L}_][\p{L}\p{N}_-]*)\}/gu;

function namesIn(...texts: readonly (string | undefined)[]): string[] {
  const slots = texts.flatMap((one = '') => Array.from(one.matchAll(slot)));
  return [...new Set(slots.flatMap(([, , name]) => name ?? []))];
}

function fill(template: string, values: ReadonlyMap<string, string>): string {
  const valueOf = (_: string, literal: string | undefined, name: string) =>
    literal ?? values.get(name) ?? '';
  return template.replace(slot, valueOf);
}

const folderOf = ({ paths }: Context) => join(paths.config, 'templates');

/** The names and files of all templates. */
export async function templatePaths(context: Context): Promise<ReadonlyMap<string, string>> {
  const folder = folderOf(context);
  const files = existsSync(folder)
    ? await readdir(folder).catch(failing(`cannot read ${folder}`))
    : [];
  const templates = files.filter((file) => file.endsWith('.yaml')).sort();
  return new Map(templates.map((file) => [file.slice(0, -'.yaml'.length), join(folder, file)]));
}

/** The file of a template. @throws UsageError for a name that is not in the folder */
export async function templatePath(context: Context, name: string): Promise<string> {
  const paths = await templatePaths(context);
  const isCalled = ([other]: [string, string]) => folded(other) === folded(name);
  const path = paths.get(name) ?? [...paths].find(isCalled)?.[1];
  if (path !== undefined) return path;
  const words = `no template is called ${guessed(name, [...paths.keys()])}`;
  throw new UsageError(words, { code: 'no_such_template', hint: 'svc templates list' });
}

/** Saves the options of a line, with its prompt and parameters. @returns the path of the file */
export async function saveTemplate(
  context: Context,
  name: string,
  line: JsonRecord,
  added: { readonly prompt?: string; readonly params?: object },
): Promise<string> {
  if (!/^[\p{L}\p{N}_][\p{L}\p{N}_.-]{0,99}$/u.test(name)) {
    const hint = 'use letters, digits, dots, hyphens and underscores';
    throw new UsageError(`--save: ${name} is not a template name`, { hint });
  }
  const path = join(folderOf(context), `${name}.yaml`);
  const { typed } = typedIn(context, line);
  const values: JsonRecord = { ...typed, ...added, force: undefined };
  const fields = Object.entries(templateLine(context).options).map(([key, option]) => {
    const value = values[key] === false ? true : values[key];
    const [only, ...others] = Array.isArray(value) ? listOf(value) : [value];
    return [longFlag(key, option).slice(2), others.length > 0 ? value : only] as const;
  });
  makeFolder(folderOf(context));
  const file = await PartFile.open({ kind: 'file', path, replace: typed['force'] === true });
  const yaml = stringify(Object.fromEntries(fields), { lineWidth: 0 });
  await file.fill({}, (take) => take(Buffer.from(yaml)));
  return path;
}
