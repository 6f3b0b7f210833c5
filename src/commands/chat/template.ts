/** `--save` and `--template`: a line of `svc chat` becomes a template, and a template a line. */
import { join } from 'node:path';
import { longFlag } from '../../command.js';
import {
  fill,
  guessed,
  namesIn,
  optionsOf,
  readTemplate,
  templateFolder,
  templateLine,
  templateRefusal,
} from '../../chat/template.js';
import type { Context } from '../../context.js';
import { UsageError } from '../../errors.js';
import { PartFile } from '../../files/part-file.js';
import { stringify } from '../../files/yaml.js';
import { joinText } from '../../lib/join-text.js';
import { listOf, textOf, type JsonRecord } from '../../lib/json.js';
import { makeFolder } from '../../lib/own-file.js';
import type { ChatLine } from './index.js';

/** Saves the line as a template, or runs it with one, which options on the line override. */
export async function runTemplate(context: Context, input: ChatLine): Promise<void> {
  const { template: name = '', save, param } = input.options;
  const values = new Map(param.map(parameterIn));
  const unset = optionsOf(context, [], name);
  const known = templateLine(context).options;
  const isTyped = ([key, value]: [string, unknown]) =>
    key in known && JSON.stringify(value) !== JSON.stringify(unset[key]);
  const typed = Object.fromEntries(Object.entries(input.options).filter(isTyped));
  if (save !== undefined) {
    const prompt = input.args.prompt.join(' ') || undefined;
    const params = values.size > 0 ? Object.fromEntries(values) : undefined;
    const isForced = typed['force'] === true;
    return saveTemplate(context, save, { ...typed, force: undefined, params, prompt }, isForced);
  }
  const { options, params, names } = await readTemplate(context, name);
  // As other template languages write it; here it stands for the text with one pair of braces.
  const text = ['prompt', 'system'].map((field) => textOf(options[field])).join('\n');
  const inPairs = Array.from(text.matchAll(/\{\{\s*([^{}]*?)\s*\}\}/g), ([, one]) => one);
  const doubled = ['input', ...params.keys(), ...values.keys()].find(
    (one) => inPairs.includes(one) && !namesIn(text).includes(one),
  );
  if (doubled !== undefined)
    throw templateRefusal(name, `write {${doubled}} in place of {{${doubled}}}`);
  const [unknown] = [...values.keys()].filter((one) => !names.includes(one));
  if (unknown !== undefined)
    throw templateRefusal(name, `unknown parameter ${guessed(unknown, names)}`);
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
  const framed = { args: { ...input.args }, options: { ...unset, ...merged }, frame };
  await (await context.program.load(['chat'])).run(context, framed);
}

function parameterIn(word: string): [name: string, value: string] {
  const at = word.indexOf('=');
  if (at > 0) return [word.slice(0, at), word.slice(at + 1)];
  throw new UsageError(`-p: ${JSON.stringify(word)} is not NAME=VALUE`, { code: 'usage' });
}

async function saveTemplate(context: Context, name: string, values: JsonRecord, isForced: boolean) {
  if (!/^[\p{L}\p{N}_][\p{L}\p{N}_.-]{0,99}$/u.test(name)) {
    const hint = 'use letters, digits, dots, hyphens and underscores';
    throw new UsageError(`--save: ${name} is not a template name`, { code: 'usage', hint });
  }
  const path = join(templateFolder(context), `${name}.yaml`);
  const fields = Object.entries(templateLine(context).options).map(([key, option]) => {
    const value = values[key] === false ? true : values[key];
    const [only, ...others] = Array.isArray(value) ? listOf(value) : [value];
    return [longFlag(key, option).slice(2), others.length > 0 ? value : only] as const;
  });
  makeFolder(templateFolder(context));
  const file = await PartFile.open({ kind: 'file', path, replace: isForced });
  await file.write(stringify(Object.fromEntries(fields), { lineWidth: 0 }));
  await file.finish();
  if (context.flags.json) return context.out.json({ name, path });
  context.out.note(`Saved template ${name}. To use it: svc chat -t ${name}`);
}
