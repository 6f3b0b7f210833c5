import { speak as askSpeech, type Speech, type SpeechBody } from '../../api/audio.js';
import { newOnceKey, type OnceKey } from '../../api/beyond-spec.js';
import { withOneDeadline } from '../../api/client.js';
import { costOf } from '../../api/cost.js';
import type { Context } from '../../cli/context.js';
import type { Handler } from '../../cli/declaration.js';
import { createSpeech } from '../../contract/audio.js';
import { disown } from '../../files/owner.js';
import { isStillWhole, type SavedBytes } from '../../files/saved-file.js';
import { targetFrom, type Target } from '../../files/target.js';
import type { Sink } from '../../http/types.js';
import {
  assertOutput,
  checkForRun,
  isAt,
  openResults,
  type TakenName,
  warnOfExtension,
} from '../../jobs/collect.js';
import { mayCost, writeCost } from '../../jobs/cost.js';
import { note, openJobs, progressWriter, type JobEnv } from '../../jobs/job.js';
import { closeRun, reportResuming, requestHash, resumable, sendOnce } from '../../jobs/once.js';
import { formatBytes } from '../../lib/amounts.js';
import { formatElapsed } from '../../lib/duration.js';
import { showInViewer } from '../../terminal/viewer.js';
import { showProgress } from '../sending.js';
import { assertJoinable, speakToFile, speakToStdout, type Saved } from './deliver.js';
import type { speak } from './index.js';
import {
  bodyFor,
  fileStem,
  grouped,
  requestFrom,
  type SpeakInput,
  type SpeakRequest,
  voiceFor,
} from './request.js';

type Options = SpeakInput['options'];

/** Speaks a text into a file, or to stdout as the sound arrives. */
export const run: Handler<typeof speak> = async (context, input) => {
  const { clock, flags, out } = context;
  const startedAtMs = clock.now();
  const { options } = input;
  assertOutput(options.output, out);
  const given = await requestFrom(context, input);
  if (options.output === '-') assertJoinable(given);
  const world = await openJobs(context, 'requests');
  const { model, voice } = given;
  const request =
    voice === undefined ? given : { ...given, voice: await voiceFor(world, model, voice) };
  const outlet = await outletFrom(request, options, world);
  if (flags.dryRun) {
    await askSpeech(world.client, bodyFor(request, request.pieces[0] ?? ''), newOnceKey());
  }
  writeSize(context, request);
  const saved = await make(world, request, outlet, options);
  await show(world, request, saved, options, clock.now() - startedAtMs);
  saved.close?.();
};

function writeSize(context: Context, { characters, pieces, blanksLeftOut }: SpeakRequest): void {
  const say = progressWriter(context);
  if (blanksLeftOut > 0) {
    const blanks = `${grouped(blanksLeftOut)} ${blanksLeftOut === 1 ? 'blank' : 'blanks'}`;
    say(`left out ${blanks}: a piece of the text would hold nothing else`);
  }
  if (pieces.length > 1) say(`${grouped(characters)} characters in ${pieces.length} pieces`);
}

/** Undefined target: stdout. */
interface Outlet {
  readonly target: Target | undefined;
  readonly taken?: TakenName | undefined;
}

/** @throws UsageError or LocalFileError when nothing could be written there. */
async function outletFrom(
  request: SpeakRequest,
  { output, force: replace = false }: Options,
  { context }: JobEnv,
): Promise<Outlet> {
  if (output === '-') return { target: undefined };
  const place = await targetFrom(output, { replace });
  const mayBeThere = request.pieces.length === 1 ? openResults(context, 'requests') : undefined;
  const taken = await checkForRun(place, mayBeThere);
  if (place.kind === 'file') return { target: place, taken };
  const name = (extension: string) => `${fileStem(request)}.${extension}`;
  // Bare samples tell nothing: there the format that was asked for names them.
  return { target: { ...place, name, unknown: request.format }, taken };
}

interface Made extends Saved {
  readonly generationIds: readonly (string | undefined)[];
  /** Called when all has been reported: from then on the same command is paid for anew. */
  readonly close?: () => void;
}

type Send = (body: SpeechBody, signal?: AbortSignal) => Promise<Speech>;

async function make(
  world: JobEnv,
  request: SpeakRequest,
  outlet: Outlet,
  options: Options,
): Promise<Made> {
  const { context } = world;
  const { pieces } = request;
  const { onBytes, stop } = await openProgress(context, pieces.length);
  const generationIds: (string | undefined)[] = [];
  const deliver = async (send: Send, { target }: Outlet): Promise<Saved> => {
    const ask = async (index: number, signal?: AbortSignal): Promise<Speech> => {
      const speech = await send(bodyFor(request, pieces[index] ?? ''), signal);
      generationIds.push(speech.generationId);
      const pipe = (sink: Sink) =>
        speech.pipe((bytes) => {
          onBytes(index, bytes.length);
          return sink(bytes);
        });
      return { ...speech, pipe };
    };
    const speaking = { context, request, ask };
    if (target) return speakToFile(speaking, target, options);
    await speakToStdout(speaking);
    await context.out.flush();
    return { files: [], reused: 0 };
  };
  try {
    const saved = await mayCost(context, world.client, async (paying) => {
      const client = withOneDeadline(paying);
      if (pieces.length === 1) {
        return await paidOnce({ ...world, client }, request, outlet, options.new, deliver);
      }
      // The pieces of longer texts are kept in a folder, for `--resume`.
      const send: Send = (body, signal = client.signal) =>
        askSpeech({ ...client, signal }, body, newOnceKey());
      return await deliver(send, outlet);
    });
    return { ...saved, generationIds };
  } finally {
    stop();
    disown(world.owner);
  }
}

/** Goes on with a run of the same text that did not end; its file may be there already. */
async function paidOnce(
  world: JobEnv,
  request: SpeakRequest,
  { target, taken }: Outlet,
  isNew: boolean | undefined,
  deliver: (send: Send, outlet: Outlet) => Promise<Saved>,
): Promise<Omit<Made, 'generationIds'>> {
  const { model, pieces } = request;
  const hash = requestHash({ speech: bodyFor(request, pieces[0] ?? '') });
  const earlier = await resumable(world, { hash, isNew, taken });
  let intent = earlier?.intent ?? '';
  const close = () => closeRun(world, intent);
  if (earlier && target) {
    for (const file of earlier.saved) {
      // What an earlier run had written, and not reported any more.
      if (!isAt(target, file) || !(await isStillWhole(file))) continue;
      reportResuming(world, earlier);
      return { files: [{ ...file, mediaType: undefined }], reused: 1, close };
    }
  }
  const beforeNaming = (file: SavedBytes) => {
    note(world, { type: 'saved', intent, index: 0, ...file });
  };
  const ask: Send = async (body) => {
    const send = (key: OnceKey) => askSpeech(world.client, body, key);
    const sending = { kind: 'speech', model, hash, row: createSpeech, send } as const;
    const sent = await sendOnce(world, sending, earlier);
    intent = sent.intent;
    return sent.reply;
  };
  return { ...(await deliver(ask, { target: target && { ...target, beforeNaming } })), close };
}

/** The paths alone on stdout. */
async function show(
  { context, client }: JobEnv,
  request: SpeakRequest,
  { apart, files, generationIds, reused }: Made,
  { open, output }: Options,
  tookMs: number,
): Promise<void> {
  const { out, flags } = context;
  const wantsCost = flags.json || (out.isErrorTerminal && !flags.quiet);
  const cost = generationIds.length > 0 && wantsCost ? await costOf(client, generationIds) : {};
  const { characters, blanksLeftOut, pieces, model, voice, format } = request;
  if (flags.json) {
    const leftOut = blanksLeftOut > 0 ? { blanksLeftOut } : {};
    const facts = { model, voice, format, characters, ...leftOut, pieces: pieces.length, reused };
    await out.json({ files, ...facts, cost, ids: { 'generation-id': generationIds } });
  } else {
    if (reused > 0) out.note(`${reused} pieces were there already, and were not paid for again`);
    if (apart !== undefined) {
      out.note(`${files.length} files, for they cannot be joined: ${apart}`);
    }
    if (output !== undefined) for (const file of files) warnOfExtension(out, file);
    for (const { path } of files) await out.line(path);
  }
  writeCost(context, cost, [formatElapsed(tookMs)]);
  const [first] = files;
  if (!open || !first) return;
  const failure = await showInViewer(first.path, context.env);
  if (failure !== undefined) out.warn(failure);
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
