/** Templates: options and a prompt of `svc chat` under a name, in YAML files that people edit. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { longFlag, text, type Options } from '../../command.js';
import type { Context } from '../../context.js';
import { UsageError } from '../../errors.js';
import { failing } from '../../files/file-trouble.js';
import { readText } from '../../files/named-file.js';
import { PartFile } from '../../files/part-file.js';
import { isRecord, listOf, recordOf, textOf, valueText, type JsonRecord } from '../../lib/json.js';
import { folded, guess } from '../../lib/names.js';
import { makeFolder } from '../../lib/own-file.js';
import { plainText } from '../../lib/plain-text.js';
import { stringify, yamlIn } from '../../files/yaml.js';
import { joinText } from '../../lib/join-text.js';
import { chat, type GivenInput } from './index.js';

const own = Object.entries(chat.options).filter(([key]) => !/^(template|param|save)$/.test(key));
const prompts = { params: text('FIELDS', ''), prompt: text('TEXT', '') };
/** What a template may have, read as options on a command line. */
const declared: Options = { ...Object.fromEntries(own), ...prompts };

/** Saves the line as a template, or runs it with one, which options on the line override. */
export async function runTemplate(context: Context, input: GivenInput): Promise<void> {
  const { template: name = '', save, param } = input.options;
  const values = new Map(param.map(parameterIn));
  const unset = optionsOf(context, [], name);
  const isGiven = ([key, value]: [string, unknown]) =>
    key in declared && JSON.stringify(value) !== JSON.stringify(unset[key]);
  const given = Object.fromEntries(Object.entries(input.options).filter(isGiven));
  if (save !== undefined) {
    const prompt = input.args.prompt.join(' ') || undefined;
    const params = values.size > 0 ? Object.fromEntries(values) : undefined;
    const isForced = given['force'] === true;
    return saveTemplate(context, save, { ...given, force: undefined, params, prompt }, isForced);
  }
  const { options, params, names } = await readTemplate(context, name);
  // As other template languages write it; here it stands for the text with one pair of braces.
  const text = ['prompt', 'system'].map((field) => textOf(options[field])).join('\n');
  const inPairs = Array.from(text.matchAll(/\{\{\s*([^{}]*?)\s*\}\}/g), ([, one]) => one);
  const doubled = ['input', ...params.keys(), ...values.keys()].find(
    (one) => inPairs.includes(one) && !namesIn(text).includes(one),
  );
  if (doubled !== undefined) throw refusal(name, `write {${doubled}} in place of {{${doubled}}}`);
  const [unknown] = [...values.keys()].filter((one) => !names.includes(one));
  if (unknown !== undefined) throw refusal(name, `unknown parameter ${guessed(unknown, names)}`);
  const { prompt: asked, ...merged }: Record<string, unknown> = { ...options, ...given };
  const prompt = textOf(asked) ?? '';
  const system = given['system'] === undefined ? textOf(options['system']) : undefined;
  const filled = new Map([...params, ...values]);
  const needed = namesIn(prompt, system);
  const missing = needed.filter((one) => one !== 'input' && !filled.has(one));
  if (missing.length > 0) {
    const flags = missing.map((one) => `-p ${one}=VALUE`).join(' ');
    throw new UsageError(`template ${name} needs ${flags}`, { code: 'missing_parameter' });
  }
  const frame = (typed: string, isAlone: boolean) => {
    if (!needed.includes('input')) return joinText(fill(prompt, filled), typed);
    if (!isAlone || typed.trim() !== '') return fill(prompt, filled.set('input', typed));
    throw new UsageError(`template ${name} needs a text for {input}`, { code: 'empty_prompt' });
  };
  if (system !== undefined) merged['system'] = fill(system, filled);
  const framed = { args: { ...input.args }, options: { ...unset, ...merged }, frame };
  await (await context.program.load(['chat'])).run(context, framed);
}

/** @throws UsageError for a template that cannot be used */
export async function readTemplate(context: Context, name: string) {
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
  const given = Object.entries(recordOf(defaults)).filter(([, value]) => value !== null);
  const params = new Map(given.map(([key, value]) => [key, valueText(value)]));
  const names = new Set([...params.keys(), ...namesIn(textOf(options['prompt'])), ...system]);
  names.delete('input');
  return { source, fields, options, params, names: [...names] };
}

/** @throws UsageError for what is not an option of chat, or not a value of it */
function optionsOf(
  { program }: Context,
  words: readonly string[],
  name: string,
): Record<string, unknown> {
  const line = { ...chat, options: declared };
  const { asked, refusal: fault } = program.parse(['chat', ...words], [line]);
  const [global] = Object.keys(asked?.globals ?? {});
  if (asked && global === undefined) return { ...asked.options };
  throw refusal(name, fault ?? `unknown option --${global ?? 'help'}`);
}

function refusal(name: string, why: string): UsageError {
  const hint = `svc templates edit ${name}`;
  return new UsageError(`template ${name}: ${why}`, { code: 'bad_template', hint });
}

function guessed(word: string, names: readonly string[]): string {
  return JSON.stringify(plainText(word, 100)) + guess(word, names);
}

function parameterIn(word: string): [name: string, value: string] {
  const at = word.indexOf('=');
  if (at > 0) return [word.slice(0, at), word.slice(at + 1)];
  throw new UsageError(`-p: ${JSON.stringify(word)} is not NAME=VALUE`, { code: 'usage' });
}

/** `{{name}}`, which stands for `{name}`, or the parameter `{name}`. */
const slot = /\{(\{[\p{L}_][\p{L}\p{N}_-]*\})\}|\{([\p{L}_][\p{L}\p{N}_-]*)\}/gu;

function namesIn(...texts: readonly (string | undefined)[]): string[] {
  const slots = texts.flatMap((one = '') => Array.from(one.matchAll(slot)));
  return [...new Set(slots.flatMap(([, , name]) => name ?? []))];
}

function fill(asked: string, values: ReadonlyMap<string, string>): string {
  const valueOf = (_: string, literal: string | undefined, name: string) =>
    literal ?? values.get(name) ?? '';
  return asked.replace(slot, valueOf);
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

async function saveTemplate(context: Context, name: string, given: JsonRecord, isForced: boolean) {
  if (!/^[\p{L}\p{N}_][\p{L}\p{N}_.-]{0,99}$/u.test(name)) {
    const hint = 'use letters, digits, dots, hyphens and underscores';
    throw new UsageError(`--save: ${name} is not a template name`, { code: 'usage', hint });
  }
  const path = join(folderOf(context), `${name}.yaml`);
  const fields = Object.entries(declared).map(([key, option]) => {
    const value = given[key] === false ? true : given[key];
    const [only, ...others] = Array.isArray(value) ? listOf(value) : [value];
    return [longFlag(key, option).slice(2), others.length > 0 ? value : only] as const;
  });
  makeFolder(folderOf(context));
  const file = await PartFile.open({ kind: 'file', path, replace: isForced });
  await file.write(stringify(Object.fromEntries(fields), { lineWidth: 0 }));
  await file.finish();
  if (context.flags.json) return context.out.json({ name, path });
  context.out.note(`Saved template ${name}. To use it: svc chat -t ${name}`);
}
