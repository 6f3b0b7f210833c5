/** What a line of svc generate asks for. */
import type { MediaBody } from '../../api/media/submit.js';
import type { InputOf } from '../../command.js';
import type { Context } from '../../context.js';
import { explain } from '../../contract/explain.js';
import { MediaRequest } from '../../contract/media.js';
import { UsageError } from '../../errors.js';
import { readJsonFile, readText } from '../../files/named-file.js';
import { promptFrom } from '../../jobs/job.js';
import { isRecord } from '../../lib/json.js';
import type { MediaLine, OptionText } from '../../media/job-request.js';
import { readInputs } from '../../media/sources.js';
import type { generate } from './index.js';

export type GenerateInput = InputOf<typeof generate>;

/** @throws UsageError, or LocalFileError for a file that cannot be read. */
export async function readRequest(
  { flags, stdin }: Context,
  { args, options }: GenerateInput,
): Promise<MediaLine> {
  const isCalled = 'the service calls this URL when the job ends, so it must be public: https://…';
  check('--webhook-url', { webhook_url: options.webhookUrl }, isCalled);
  check('--quote-id', { quote_id: options.quoteId }, 'ask for one: --quote --json');
  const texts = [];
  for (const option of options.opt) texts.push(await textOption(option));
  const moreOptions = options.opts === undefined ? {} : await readJsonFile(options.opts, '--opts');
  if (!isRecord(moreOptions)) {
    const message = `--opts: ${options.opts ?? ''} does not contain a JSON object`;
    throw new UsageError(message, { code: 'invalid_json' });
  }
  const inputs = await readInputs(options.input, stdin);
  const isTaken = inputs.some(({ source }) => source.at === 'stdin');
  const outcome = options.sandboxOutcome;
  const headers: Record<string, string> = outcome ? { 'x-{brand}-sandbox-outcome': outcome } : {};
  return {
    model: args.model,
    prompt: await promptFrom({ stdin }, args.prompt, { isTaken, isOptional: inputs.length > 0 }),
    texts,
    moreOptions,
    inputs,
    inline: options.inline === true,
    prefersInline: flags.curl,
    strict: options.strict,
    webhookUrl: options.webhookUrl,
    headers,
  };
}

function check(flag: string, field: Partial<MediaBody>, hint: string): void {
  const fault = MediaRequest.safeParse({ model: 'm', ...field }).error;
  if (!fault) return;
  throw new UsageError(`${flag}: ${explain(fault, field)}`, { code: 'invalid_input', hint });
}

async function textOption(option: string): Promise<OptionText> {
  const [, name, value = ''] = /^([A-Za-z_][\w.-]*)=([^]*)$/.exec(option) ?? [];
  if (name === undefined) {
    throw new UsageError(`--opt needs NAME=VALUE, not "${option}"`, { code: 'usage' });
  }
  // Two at signs stand for one.
  const isFile = /^@(?!@)/.test(value);
  const text = isFile ? await readText(value.slice(1), `--opt ${name}`) : value.replace(/^@@/, '@');
  return { name, text, isFile };
}
