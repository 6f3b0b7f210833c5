import { speak as askSpeech, type Speech } from '../../api/audio.js';
import { newOnceKey, type OnceKey } from '../../api/beyond-spec.js';
import { costOf, type Cost } from '../../api/cost.js';
import type { Context, Handler } from '../../context.js';
import { createSpeech } from '../../contract/audio.js';
import type { RequestIds } from '../../errors.js';
import { releaseOwner } from '../../files/owner.js';
import { isStillWhole, type SavedBytes } from '../../files/saved-file.js';
import { targetFrom, type Target } from '../../files/target.js';
import type { Sink } from '../../http/types.js';
import {
  assertOutput,
  checkForRun,
  isAtDestination,
  openResults,
  type TakenName,
  warnOfExtension,
} from '../../jobs/collect.js';
import { idsJson, isCostSeen, mayCost, writeCost } from '../../jobs/cost.js';
import { note, openJobs, progressWriter, type JobEnv } from '../../jobs/job.js';
import { closeRun, reportResuming, requestHash, resumable, sendOnce } from '../../jobs/once.js';
import { openResult, showFile } from '../../jobs/show-file.js';
import { formatBytes } from '../../lib/amounts.js';
import { formatElapsed } from '../../lib/duration.js';
import { playSound } from '../../terminal/viewer.js';
import { showProgress } from '../sending.js';
import { assertJoinable, speakToFile, speakToStdout, type Saved } from './deliver.js';
import type { speak } from './index.js';
import { bodyFor, fileStem, grouped, requestFrom, voiceFor } from './request.js';
import type { SpeakInput, SpeakRequest } from './request.js';

type Options = SpeakInput['options'];

export const run: Handler<typeof speak> = async (context, input) => {
  const { clock, flags, out } = context;
  const startedAtMs = clock.now();
  const { options } = input;
  assertOutput(options.output, out);
  const given = await requestFrom(context, input);
  if (options.output === '-') assertJoinable(given);
  const env = await openJobs(context, 'requests');
  const { model, voice } = given;
  const request =
    voice === undefined ? given : { ...given, voice: await voiceFor(env, model, voice) };
  const outlet = await outletFrom(request, options, env);
  if (flags.dryRun) await askSpeech(env.client, bodyFor(request, 0), newOnceKey());
  const { blanksLeftOut, characters, pieces } = request;
  const say = progressWriter(context);
  if (blanksLeftOut > 0) {
    const blanks = `${grouped(blanksLeftOut)} ${blanksLeftOut === 1 ? 'blank' : 'blanks'}`;
    say(`left out ${blanks}: a piece would contain nothing else`);
  }
  if (pieces.length > 1) say(`${grouped(characters)} characters in ${pieces.length} pieces`);
  const made = await make(env, request, outlet, options).finally(() => releaseOwner(env.owner));
  await show(env, request, made, options, clock.now() - startedAtMs);
  if (made.intent !== undefined) closeRun(env, made.intent);
  for (const { path } of options.play ? made.files : []) await playSound(path, context);
};

type Outlet = Awaited<ReturnType<typeof outletFrom>>;

/** Without a target it is stdout. @throws UsageError or LocalFileError */
async function outletFrom(
  request: SpeakRequest,
  { output, force: replace = false }: Options,
  { context }: JobEnv,
): Promise<{ target: Target | undefined; taken?: TakenName | undefined }> {
  if (output === '-') return { target: undefined };
  const place = await targetFrom(output, { replace });
  const mayBeThere = request.pieces.length === 1 ? openResults(context, 'requests') : undefined;
  const taken = await checkForRun(place, mayBeThere);
  if (place.kind === 'file') return { target: place, taken };
  const name = (extension: string) => `${fileStem(request)}.${extension}`;
  // Raw samples have no header: the requested format decides.
  return { target: { ...place, name, unknown: request.format }, taken };
}

interface Made extends Saved {
  readonly ids: readonly RequestIds[];
  /** The run of a one-piece text: closed once everything has been shown. */
  readonly intent?: string | undefined;
}

async function make(
  env: JobEnv,
  request: SpeakRequest,
  { target, taken }: Outlet,
  options: Options,
): Promise<Made> {
  const { context } = env;
  const { model, pieces } = request;
  const isOne = pieces.length === 1;
  const hash = requestHash({ speech: bodyFor(request, 0) });
  const ids: RequestIds[] = [];
  const earlier = isOne ? await resumable(env, { hash, isNew: options.new, taken }) : undefined;
  let intent = earlier?.intent;
  const { onBytes, stop } = await openProgress(context, pieces.length);
  try {
    for (const file of earlier?.saved ?? []) {
      // An earlier run wrote it without reporting it.
      if (!earlier || !target || !isAtDestination(target, file) || !(await isStillWhole(file)))
        continue;
      reportResuming(env, earlier);
      return { files: [{ ...file, mediaType: undefined }], reused: 1, ids, intent };
    }
    const saved = await mayCost(context, env.client, (client): Promise<Saved> => {
      const ask = async (index: number, signal = client.signal): Promise<Speech> => {
        const body = bodyFor(request, index);
        const send = (key: OnceKey) => askSpeech({ ...client, signal }, body, key);
        const once = { kind: 'speech', model, hash, row: createSpeech, send } as const;
        const sent = isOne ? await sendOnce({ ...env, client }, once, earlier) : undefined;
        intent = sent?.intent;
        const speech = sent?.reply ?? (await send(newOnceKey()));
        ids.push(speech.ids);
        const pipe = (sink: Sink) =>
          speech.pipe((bytes) => {
            onBytes(index, bytes.length);
            return sink(bytes);
          });
        return { ...speech, pipe };
      };
      const speaking = { context, request, ask };
      if (!target) return speakToStdout(speaking);
      const beforeNaming = (file: SavedBytes) => {
        if (intent !== undefined) note(env, { type: 'saved', intent, index: 0, ...file });
      };
      return speakToFile(speaking, isOne ? { ...target, beforeNaming } : target, options);
    });
    return { ...saved, ids, intent };
  } finally {
    stop();
  }
}

async function show(
  { atWork, context, client }: JobEnv,
  request: SpeakRequest,
  { apart, files, ids, reused }: Made,
  { open, output }: Options,
  tookMs: number,
): Promise<void> {
  const { out, flags } = context;
  const isSeen = isCostSeen(context) && ids.length > 0;
  const paid = ids.map((one) => one['generation-id']);
  const cost: Cost = isSeen ? await costOf(client, paid) : {};
  const { characters, blanksLeftOut, pieces, model, voice, format } = request;
  if (flags.json) {
    const leftOut = blanksLeftOut > 0 ? { blanksLeftOut } : {};
    const facts = { model, voice, format, characters, ...leftOut, pieces: pieces.length, reused };
    await out.json({ files, ...facts, resumed: atWork.isResumed, cost, ...idsJson(ids) });
  } else {
    if (reused > 0) out.note(`${reused} pieces already existed and were not charged again`);
    if (apart !== undefined) {
      out.note(`${files.length} files, because they cannot be joined: ${apart}`);
    }
    if (output !== undefined) for (const file of files) warnOfExtension(out, file);
    for (const { path } of files) await showFile(context, path);
  }
  writeCost(context, cost, [formatElapsed(tookMs)]);
  const [first] = files;
  if (open && first) await openResult(context, first.path, true);
}

async function openProgress(context: Context, count: number) {
  const { clock } = context;
  const startedAtMs = clock.now();
  let total = 0;
  let latest = 0;
  const stop = await showProgress(context, () => {
    const piece = count === 1 ? '' : ` piece ${latest + 1} of ${count}`;
    const bytes = total === 0 ? '' : `${formatBytes(total)} · `;
    return `speaking${piece} · ${bytes}${formatElapsed(clock.now() - startedAtMs)}`;
  });
  const onBytes = (index: number, bytes: number) => {
    total += bytes;
    latest = Math.max(latest, index);
  };
  return { onBytes, stop };
}
