import { randomUUID } from 'node:crypto';
import { askPrice, submit, type MediaBody } from '../../api/media/submit.js';
import type { InputOf } from '../../command.js';
import type { Context, Handler } from '../../context.js';
import { explain } from '../../contract/explain.js';
import { MediaRequest } from '../../contract/media.js';
import { ApiError, ConfigError, isRefusal, UsageError } from '../../errors.js';
import { readJsonFile, readText } from '../../files/named-file.js';
import { destinationFrom, openResults } from '../../jobs/collect.js';
import { runJob } from '../../jobs/finish.js';
import { openJobs, progressWriter, promptFrom } from '../../jobs/job.js';
import { hinted, isAboutModel } from '../../jobs/known-model.js';
import { isRecord } from '../../lib/json.js';
import { shellWord } from '../../lib/names.js';
import { fit, sendSources, type MediaLine, type OptionText } from '../../media/job-request.js';
import { makeJob } from '../../media/make-job.js';
import { knownModel, type KnownModel } from '../../media/model.js';
import { readInputs } from '../../media/sources.js';
import type { generate } from './index.js';
import { showQuote } from './quote.js';

export const run: Handler<typeof generate> = async (context, input) => {
  const { options } = input;
  context.out.open();
  const startedAtMs = context.clock.now();
  const destination = await destinationFrom(context, options, openResults(context));
  const request = await readRequest(context, input);
  if (options.quote) return askQuote(context, input, request);
  const env = await openJobs(context, 'jobs', destination.output);
  const known = await knownModel(env, request.model, options.refresh);
  const { model, capability } = known;
  const fitted = await fit({ ...request, model }, capability);
  if (context.flags.dryRun) {
    // Shows the request of the job; nothing is priced, uploaded or recorded.
    const ready = await sendSources(env.client, fitted, context.flags);
    const { maxCostRub } = context.flags;
    const payload = ready.payload({ quote_id: options.quoteId, max_price_rub: maxCostRub });
    const { headers } = fitted;
    const shown = await submit(ready.client, { key: randomUUID(), payload, headers });
    if (shown.outcome !== 'accepted') throw shown.error;
  }
  await runJob(env, { ...options, destination, startedAtMs }, () =>
    makeJob(env, fitted, { ...options, taken: destination.taken }).catch(refusing(input, known)),
  );
  const { commandHint, out } = context;
  const { jobId = '' } = env.atWork;
  if (!options.wait && out.isForAgent) {
    progressWriter(context)(commandHint(`to wait for it: svc jobs wait ${jobId}`));
  }
};

/** Says in the refusal of a word that is no known model what is probably meant. */
function refusing(
  { args, options: { model } }: InputOf<typeof generate>,
  { capability, guess }: Partial<KnownModel>,
) {
  return (error: unknown): never => {
    const isRefused = error instanceof ApiError && !error.outcomeUnknown && !error.hint;
    if (!isRefused || capability) throw error;
    if (guess) throw hinted(error, guess);
    if (model !== undefined || !isRefusal(error, 400, 404, 422) || !isAboutModel(error))
      throw error;
    // vendor/model is meant as a model.
    if (/^\S+\/\S+$/.test(args.model)) throw hinted(error, 'to list them: svc models list --all');
    const words = shellWord([args.model, ...args.prompt].join(' '));
    throw hinted(error, `name a model or its kind first: svc generate image ${words}`);
  };
}

/** --quote: shows the price and creates nothing; without a key, the public price. */
async function askQuote(
  context: Context,
  input: InputOf<typeof generate>,
  request: MediaLine,
): Promise<void> {
  const { refresh } = input.options;
  const client = await context.client({ key: 'optional' });
  const isKeyless = client.key === undefined;
  const known: Partial<KnownModel> = isKeyless
    ? {}
    : await knownModel({ ...(await openJobs(context)), client }, request.model, refresh);
  const { model = request.model, capability } = known;
  const fitted = await fit({ ...request, model }, capability);
  // Without a key the model's options are unknown, and nothing can be uploaded.
  if (isKeyless && fitted.filled.some(({ form }) => form === 'file_id')) {
    throw new ConfigError('uploading a local file needs a key, and no key is set', {
      code: 'no_key',
      hint: 'run `svc login`, or send the file within the request: --inline',
    });
  }
  const ready = await sendSources(client, fitted, context.flags);
  const asking = askPrice(ready.client, ready.body, ready.payload());
  await showQuote(context, await asking.catch(refusing(input, known)));
}

/** @throws UsageError, or LocalFileError for a file that cannot be read. */
async function readRequest(
  { flags, stdin }: Context,
  { args, options }: InputOf<typeof generate>,
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
    throw new UsageError(`--opt needs NAME=VALUE, not "${option}"`);
  }
  // Two at signs stand for one.
  const isFile = /^@(?!@)/.test(value);
  const text = isFile ? await readText(value.slice(1), `--opt ${name}`) : value.replace(/^@@/, '@');
  return { name, text, isFile };
}
