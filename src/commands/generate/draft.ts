/** What the command line asks for, before anything is known of the model. */
import type { MediaBody } from '../../api/media/body.js';
import type { Context } from '../../cli/context.js';
import type { InputOf } from '../../cli/declaration.js';
import { explain } from '../../contract/explain.js';
import { MediaRequest } from '../../contract/media.js';
import { UsageError } from '../../errors.js';
import { readJsonFile, readText } from '../../files/named-file.js';
import { isRecord, type JsonRecord } from '../../lib/json.js';
import type { generate } from './index.js';
import { readInputs, type Input } from './sources.js';

export type GenerateInput = InputOf<typeof generate>;

/** An option as text: from the command line, or the content of the file that it names. */
export interface TextOption {
  readonly name: string;
  readonly text: string;
  readonly isFile: boolean;
}

export interface Draft {
  readonly model: string;
  readonly prompt: string | undefined;
  readonly options: readonly TextOption[];
  /** From --opts; the command line wins over it. */
  readonly moreOptions: JsonRecord;
  readonly inputs: readonly Input[];
  readonly inline: boolean;
  readonly strict: true | undefined;
  readonly webhookUrl: string | undefined;
  /** More headers of the job; `{brand}` stands in their names. */
  readonly headers: Readonly<Record<string, string>>;
}

/** @throws UsageError, or LocalFileError for a file that cannot be read. */
export async function draftFrom(
  context: Context,
  { args, options }: GenerateInput,
): Promise<Draft> {
  check('--webhook-url', { webhook_url: options.webhookUrl }, webhookHint);
  check('--quote-id', { quote_id: options.quoteId }, 'ask for one: --quote --json');
  const texts: TextOption[] = [];
  for (const option of options.opt) texts.push(await textOption(option));
  const moreOptions = options.opts === undefined ? {} : await optionsIn(options.opts);
  const inputs = await readInputs(options.input, context.stdin);
  const stdinIsTaken = inputs.some(({ source }) => source.at === 'stdin');
  const outcome = options.sandboxOutcome;
  return {
    model: args.model,
    prompt: await promptFrom(context, args.prompt, stdinIsTaken),
    options: texts,
    moreOptions,
    inputs,
    inline: options.inline === true,
    strict: options.strict === true ? true : undefined,
    webhookUrl: options.webhookUrl,
    headers: outcome === undefined ? {} : { 'x-{brand}-sandbox-outcome': outcome },
  };
}

/** Piped text comes first, then the words; without either there is no prompt. */
async function promptFrom(
  { stdin }: Context,
  words: readonly string[],
  stdinIsTaken: boolean,
): Promise<string | undefined> {
  const piped = stdinIsTaken || stdin.isTerminal ? '' : (await stdin.text()).trimEnd();
  const prompt = [piped, words.join(' ')].filter((text) => text.trim() !== '').join('\n\n');
  return prompt === '' ? undefined : prompt;
}

const webhookHint = 'the service calls it when the job ends, so it must be public: https://…';

function check(flag: string, field: Partial<MediaBody>, hint: string): void {
  const fault = MediaRequest.safeParse({ model: 'm', ...field }).error;
  if (!fault) return;
  throw new UsageError(`${flag}: ${explain(fault, field)}`, { code: 'invalid_input', hint });
}

async function textOption(option: string): Promise<TextOption> {
  const match = /^([A-Za-z_][\w.-]*)=([^]*)$/.exec(option);
  if (!match) {
    throw new UsageError(`--opt needs NAME=VALUE, not "${option}"`, { code: 'usage' });
  }
  const [, name = '', value = ''] = match;
  // Two at signs are one that is meant.
  if (!value.startsWith('@') || value.startsWith('@@')) {
    return { name, text: value.replace(/^@@/, '@'), isFile: false };
  }
  return { name, text: await readText(value.slice(1), `--opt ${name}`), isFile: true };
}

async function optionsIn(path: string): Promise<JsonRecord> {
  const value = await readJsonFile(path, '--opts');
  if (isRecord(value)) return value;
  throw new UsageError(`--opts: ${path} holds no JSON object`, { code: 'invalid_json' });
}
