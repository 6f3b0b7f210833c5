import { newOnceKey, type OnceKey } from '../../api/beyond-spec.js';
import type { Client } from '../../api/client.js';
import { costOf } from '../../api/cost.js';
import { createVoice, listVoices } from '../../api/voices.js';
import type { Voice, VoiceCreated, VoiceList } from '../../api/voices.js';
import type { InputOf } from '../../command.js';
import type { Context, Handler } from '../../context.js';
import { createVoice as row } from '../../contract/voices.js';
import { UsageError } from '../../errors.js';
import { releaseOwner } from '../../files/owner.js';
import { isCostSeen, warnIfLow } from '../../jobs/cost.js';
import { openJobs, type JobEnv } from '../../jobs/job.js';
import { sourceHash } from '../../media/sources.js';
import { requestHash, type UnknownOutcome } from '../../jobs/once.js';
import { formatRub } from '../../lib/amounts.js';
import { plainText } from '../../lib/plain-text.js';
import { fullMomentCell } from '../cells.js';
import { amountWords } from '../fields.js';
import { remember } from '../listing.js';
import { whileSending } from '../../media/sending.js';
import { PaidRun } from '../../media/paid-run.js';
import type { create } from './index.js';
import { factsOf, priceRows } from './list.js';
import { readSamples, withRecordings } from '../../media/samples.js';

export const run: Handler<typeof create> = async (context, { args, options }) => {
  const { name, recordings } = args;
  const { engine, removeBackgroundNoise = false, consent: hasConsent = false } = options;
  const { commandHint, flags, out, prompts, signal } = context;
  assertPossible(context, args, options);
  const { samples } = await readSamples(context, recordings);
  const env = await openJobs(context, 'requests');
  const { client } = env;
  const { body, payload } = withRecordings(samples, flags, (values) => ({
    name,
    consent: true as const,
    ...(engine === undefined ? {} : { engine }),
    ...(values.length === 1 ? values[0] : { samples: values }),
    ...(removeBackgroundNoise ? { remove_background_noise: true } : {}),
  }));
  if (flags.dryRun) await createVoice(client, { body, payload }, newOnceKey());
  // The same recordings make the same voice, whatever their files are called.
  const sources: string[] = [];
  for (const sample of samples) sources.push(await sourceHash(sample));
  const hash = requestHash({ voice: { name, engine, removeBackgroundNoise }, sources });
  const lookFor = (lost: UnknownOutcome) => lookForVoice(client, name, lost).catch(() => undefined);
  const work = { kind: 'voice', model: name, hash, row, isNew: options.new, lookFor } as const;
  const paidRun = await PaidRun.open(env, work);
  const before = await listVoices(client);
  if (!paidRun.earlier) writeBefore(context, before, name);
  const message = `Has the speaker consented to the cloning of their voice as "${plainText(name, 80)}"?`;
  if (!hasConsent && !(await prompts.confirm({ message, default: false }))) {
    throw noConsent('without consent, no voice is created; nothing was sent');
  }
  const there = before.voices.find(({ id }) => id === paidRun.earlier?.jobId);
  const send = (paying: Client, key: OnceKey) =>
    whileSending(context, payload, 'creating the voice', (counted) =>
      createVoice(paying, { body, payload: counted }, key),
    );
  try {
    if (there) await show(env, there);
    else {
      const reply = await paidRun.send(send).catch((error: unknown) => {
        const lost = 'the voice may have been created and charged; to check: svc voices list';
        if (signal.aborted) out.error(commandHint(lost));
        throw error;
      });
      paidRun.note({ type: 'accepted', jobId: reply.voice.id, status: 'success' });
      await show(env, reply.voice, reply);
    }
    paidRun.close();
  } finally {
    releaseOwner(env.owner);
  }
};

/** @throws UsageError, before anything is read */
function assertPossible(
  context: Context,
  { name, recordings }: InputOf<typeof create>['args'],
  { engine, consent: hasConsent = false }: InputOf<typeof create>['options'],
): void {
  const { flags } = context;
  if (name.trim() === '') throw new UsageError('a voice needs a name');
  if (recordings.length > 1 && engine !== 'extvoice') {
    throw new UsageError('several recordings need --engine extvoice', {
      code: 'several_recordings',
      hint: 'give one recording, or --engine extvoice',
    });
  }
  // --yes answers questions of svc; this one is for the user.
  if (hasConsent || (!flags.yes && context.prompts.canAsk)) return;
  const why = flags.yes ? '--yes does not confirm that' : 'svc cannot ask here';
  throw noConsent(
    `the speaker must have consented to the cloning, and ${why}`,
    'if they have, add --consent',
  );
}

function noConsent(message: string, hint?: string): UsageError {
  return new UsageError(message, { code: 'no_consent', hint });
}

/** The prices, and a voice of the same name, before anything is charged. */
function writeBefore(context: Context, { voices, pricing }: VoiceList, name: string): void {
  const { flags, out } = context;
  const namesake = voices.find((voice) => voice.name === name);
  if (namesake) {
    out.warn(
      `a voice with this name already exists: ${plainText(namesake.id, 40)}; use ids to tell them apart`,
    );
  }
  if (flags.json || !isCostSeen(context)) return;
  const prices = priceRows(pricing).map(([what, price]) => `${what}: ${price}`);
  out.note(prices.length === 0 ? 'the service gives no prices' : `prices: ${prices.join('; ')}`);
}

const slackMs = 60_000;

/** The candidates, by their name and time: another machine may have created them. */
async function lookForVoice(client: Client, name: string, { wantedAtMs }: UnknownOutcome) {
  const { voices } = await listVoices(client);
  const ids = voices
    .filter((voice) => voice.name?.trim() === name.trim())
    .filter(({ created_at }) => !(Date.parse(created_at ?? '') < wantedAtMs - slackMs))
    .map(({ id }) => plainText(id, 40));
  return ids.length === 0 ? 'none' : { words: `the voice may be ${ids.join(', ')}` };
}

/** `charged 50.00 RUB · 15.00 RUB a month, next on 2026-01-01 · balance 650.00 RUB`, to people. */
async function show({ atWork, client, context }: JobEnv, voice: Voice, reply?: VoiceCreated) {
  const { flags, out } = context;
  await remember(context, client, { kind: 'voice', rows: [factsOf(voice)] });
  if (flags.json) {
    return out.json({ ...(reply ?? { ok: true, voice }), resumed: atWork.isResumed });
  }
  await out.line(voice.id);
  const { balanceRub } = await costOf(client, []);
  const forPeople = { isTerminal: true, language: out.language };
  const charged = amountWords(reply?.charged, forPeople);
  const fee = amountWords(voice.monthly_fee, forPeople);
  const screen = { out: { isTerminal: out.isErrorTerminal }, clock: context.clock };
  const next = fullMomentCell(screen, voice.next_charge_at ?? undefined);
  const first = next === '' ? '' : `, next on ${plainText(next, 40)}`;
  const words = [
    charged === undefined ? 'the charge is unknown' : `charged ${charged}`,
    ...(fee === undefined ? [] : [`${fee} a month${first}`]),
    ...(balanceRub === undefined ? [] : [`balance ${formatRub(balanceRub, out.language)}`]),
  ];
  if (isCostSeen(context)) out.dim(words.join(' · '));
  warnIfLow(context, balanceRub);
}
