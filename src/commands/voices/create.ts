import { costOf } from '../../api/cost.js';
import type { Client } from '../../api/client.js';
import { newOnceKey, type OnceKey } from '../../api/beyond-spec.js';
import {
  createVoice,
  listVoices,
  type Travelling,
  type Voice,
  type VoiceBody,
  type VoiceCreated,
  type VoiceList,
} from '../../api/voices.js';
import type { Context } from '../../cli/context.js';
import type { Handler } from '../../cli/declaration.js';
import { UsageError } from '../../errors.js';
import { formatRub } from '../../lib/amounts.js';
import { plainText } from '../../lib/plain-text.js';
import { canAsk, note, openJobs, type JobEnv } from '../../jobs/job.js';
import { createVoice as createRow } from '../../contract/voices.js';
import type { LedgerJob } from '../../state/ledger.js';
import { disown } from '../../files/owner.js';
import { sourceHash } from '../generate/sources.js';
import {
  sendOnce,
  type Found,
  type UnknownOutcome,
  closeRun,
  requestHash,
  resumable,
} from '../../jobs/once.js';
import { warnIfLow } from '../../jobs/cost.js';
import { readSamples, travelling } from './samples.js';
import type { create } from './index.js';
import { amountWords, priceRows } from './list.js';
import { whileSending } from '../sending.js';

/** Makes a voice; its id is all that stdout gets. */
export const run: Handler<typeof create> = async (context, { args, options }) => {
  const { name, recordings } = args;
  const { engine, removeBackgroundNoise = false, consent: hasConsent = false } = options;
  const { flags } = context;
  if (name.trim() === '') throw new UsageError('a voice needs a name', { code: 'usage' });
  if (recordings.length > 1 && engine !== 'extvoice') {
    throw new UsageError('several recordings make a voice only with --engine extvoice', {
      code: 'several_recordings',
      hint: 'give one recording, or --engine extvoice',
    });
  }
  // --yes answers questions of svc; this one is put to the person.
  if (!hasConsent && (flags.yes || !canAsk(context))) throw noConsent(context);
  const { samples } = await readSamples(context, recordings);
  const world = await openJobs(context, 'requests');
  const { client } = world;
  const request = travelling(samples, flags, (values) => ({
    name,
    consent: true as const,
    ...(engine === undefined ? {} : { engine }),
    ...(values.length === 1 ? values[0] : { samples: values }),
    ...(removeBackgroundNoise ? { remove_background_noise: true } : {}),
  }));
  if (flags.dryRun) await createVoice(client, request, newOnceKey());
  // The same recordings make the same voice, whatever their files are called.
  const sources: string[] = [];
  for (const sample of samples) sources.push(await sourceHash(sample));
  const hash = requestHash({ voice: { name, engine, removeBackgroundNoise }, sources });
  const earlier = await resumable(world, { hash, isNew: options.new });
  const before = await listVoices(client);
  if (!earlier) writeBefore(context, before, name);
  if (!hasConsent) await askConsent(context, name);
  try {
    const voice = before.voices.find(({ id }) => id === earlier?.jobId);
    const made =
      earlier && voice
        ? { voice, intent: earlier.intent, reply: undefined }
        : await make(world, request, hash, earlier);
    await show(context, client, made);
    closeRun(world, made.intent);
  } finally {
    disown(world.owner);
  }
};

function noConsent({ flags }: Context): UsageError {
  const why = flags.yes ? '--yes does not say that' : 'nobody can be asked here';
  return new UsageError(`whoever is heard must have agreed to be cloned, and ${why}`, {
    code: 'no_consent',
    hint: 'if they did, say so with --consent',
  });
}

async function askConsent({ prompts }: Context, name: string): Promise<void> {
  const message = `Did whoever is heard agree to their voice being cloned as "${plainText(name, 80)}"?`;
  if (await prompts.confirm({ message, default: false })) return;
  throw new UsageError('without consent no voice is made; nothing was sent', {
    code: 'no_consent',
  });
}

/** What a person wants to know before it is paid for. */
function writeBefore({ flags, out }: Context, { voices, pricing }: VoiceList, name: string): void {
  const namesake = voices.find((voice) => voice.name === name);
  if (namesake) {
    out.warn(
      `you have a voice of this name already, ${plainText(namesake.id, 40)}: tell them apart by their ids`,
    );
  }
  if (flags.json || !out.isErrorTerminal) return;
  const prices = priceRows(pricing).map(([what = '', price = '']) => `${what}: ${price}`);
  out.note(prices.length === 0 ? 'the service names no prices' : `prices: ${prices.join('; ')}`);
}

interface Made {
  readonly intent: string;
  readonly voice: Voice;
  readonly reply: VoiceCreated | undefined;
}

async function make(
  world: JobEnv,
  { body, payload }: Travelling<VoiceBody>,
  hash: string,
  earlier: LedgerJob | undefined,
): Promise<Made> {
  const { client, context } = world;
  const send = (key: OnceKey) =>
    whileSending(context, payload, 'making the voice', (counted) =>
      createVoice(client, { body, payload: counted }, key),
    );
  const lookFor = (lost: UnknownOutcome) =>
    lookForVoice(client, body.name, lost).catch(() => undefined);
  const request = { kind: 'voice', model: body.name, hash, row: createRow, send, lookFor } as const;
  try {
    const { intent, reply } = await sendOnce(world, request, earlier);
    const { id: jobId } = reply.voice;
    note(world, { type: 'accepted', intent, jobId, status: 'success' });
    return { intent, voice: reply.voice, reply };
  } catch (error) {
    if (context.signal.aborted) {
      context.out.error(
        context.commandHint('the voice may have been made, and charged; look: svc voices list'),
      );
    }
    throw error;
  }
}

const slackMs = 60_000;

/** The voices that it may be, by their name and time: another machine may have made them. */
async function lookForVoice(
  client: Client,
  name: string,
  { wantedAtMs }: UnknownOutcome,
): Promise<Found> {
  const { voices } = await listVoices(client);
  const found = voices.filter((voice) => {
    const madeAtMs = Date.parse(voice.created_at ?? '');
    return voice.name?.trim() === name.trim() && !(madeAtMs < wantedAtMs - slackMs);
  });
  if (found.length === 0) return 'none';
  return { words: `the voice may be ${found.map(({ id }) => plainText(id, 40)).join(', ')}` };
}

async function show(context: Context, client: Client, { voice, reply }: Made): Promise<void> {
  const { flags, out } = context;
  if (flags.json) return out.json(reply ?? { ok: true, voice });
  await out.line(voice.id);
  const { balanceRub } = await costOf(client, []);
  if (out.isErrorTerminal) out.dim(lastLine(voice, reply, balanceRub));
  warnIfLow(context, balanceRub);
}

/** `charged 300.00 RUB · then 50.00 RUB a month, first on 2026-01-01 · balance 650.00 RUB` */
function lastLine(
  { monthly_fee, next_charge_at }: Voice,
  reply: VoiceCreated | undefined,
  balanceRub: number | undefined,
): string {
  const charged = amountWords(reply?.charged);
  const fee = amountWords(monthly_fee);
  const first = next_charge_at ? `, next on ${plainText(next_charge_at, 40)}` : '';
  return [
    charged === undefined ? 'what it cost is not known' : `charged ${charged}`,
    ...(fee === undefined ? [] : [`${fee} a month${first}`]),
    ...(balanceRub === undefined ? [] : [`balance ${formatRub(balanceRub)}`]),
  ].join(' · ');
}
