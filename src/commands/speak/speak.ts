import { speak as askSpeech, type Speech, type SpeechBody } from '../../api/audio.js';
import { withOneDeadline } from '../../api/client.js';
import { costOf } from '../../api/cost.js';
import { newOnceKey, type OnceKey } from '../../api/beyond-spec.js';
import type { Context } from '../../cli/context.js';
import type { Handler } from '../../cli/declaration.js';
import { disown } from '../../files/owner.js';
import { writeCost, mayCost } from '../../jobs/cost.js';
import { formatElapsed } from '../../lib/duration.js';
import { showInViewer } from '../../terminal/viewer.js';
import { progressWriter, openJobs, type JobEnv, note } from '../../jobs/job.js';
import { warnOfExtension } from '../../jobs/collect.js';
import type { speak } from './index.js';
import {
  bodyFor,
  grouped,
  requestFrom,
  type SpeakRequest,
  type SpeakInput,
  voiceFor,
} from './request.js';
import { outletFrom, type Outlet, saveSpeech, type Saved } from './save.js';
import { assertJoinable, streamSpeech } from './stream.js';
import { createSpeech } from '../../contract/audio.js';
import { isStillWhole, type SavedBytes } from '../../files/saved-file.js';
import { isAt, assertOutput } from '../../jobs/destination.js';
import { sendOnce, closeRun, requestHash, resumable, reportResuming } from '../../jobs/once.js';
import { formatBytes } from '../../lib/amounts.js';

type Options = SpeakInput['options'];

/** Speaks a text into a file, or to stdout as the sound arrives. */
export const run: Handler<typeof speak> = async (context, input) => {
  const { clock, flags } = context;
  const startedAtMs = clock.now();
  const { options } = input;
  assertOutput(options.output, context.out);
  const given = await requestFrom(context, input);
  if (options.output === '-') assertJoinable(given);
  const world = await openJobs(context, 'requests');
  const { model, voice } = given;
  const request =
    voice === undefined ? given : { ...given, voice: await voiceFor(world, model, voice) };
  const outlet = await outletFrom(request, options, world.ledger);
  if (flags.dryRun) {
    await askSpeech(world.client, bodyFor(request, request.pieces[0] ?? ''), newOnceKey());
  }
  tellSize(context, request);
  const made = await make(world, request, outlet, options);
  await show(world, request, made, options, clock.now() - startedAtMs);
  made.close();
};

/** What is about to be paid for. */
function tellSize(context: Context, { characters, pieces, blanksLeftOut }: SpeakRequest): void {
  const say = progressWriter(context);
  if (blanksLeftOut > 0) {
    const blanks = blanksLeftOut === 1 ? 'blank' : 'blanks';
    say(
      `left out ${grouped(blanksLeftOut)} ${blanks}: a piece of the text would hold nothing else`,
    );
  }
  if (pieces.length > 1) say(`${grouped(characters)} characters in ${pieces.length} pieces`);
}

/** Asks for a piece; resolves when the answer begins. */
export type Ask = (body: SpeechBody, signal?: AbortSignal) => Promise<Speech>;

interface Made extends Saved {
  /** Called when all has been told: from then on the same command is paid for anew. */
  readonly close: () => void;
}

async function make(
  world: JobEnv,
  request: SpeakRequest,
  outlet: Outlet,
  { force = false, new: isNew, resume = false }: Options,
): Promise<Made> {
  const { context } = world;
  const progress = await openProgress(context, request.pieces.length);
  const work = async (ask: Ask, to: Outlet): Promise<Saved> => {
    if (to.kind === 'file') {
      return saveSpeech({ context, ask, request, outlet: to, progress, resume, force });
    }
    const generationIds = await streamSpeech(context, ask, request, progress);
    await context.out.flush();
    return { files: [], generationIds, reused: 0, apart: undefined };
  };
  try {
    return await mayCost(context, world.client, async (paying) => {
      const client = withOneDeadline(paying);
      if (request.pieces.length === 1) {
        return await paidOnce({ ...world, client }, request, outlet, isNew, work);
      }
      // The pieces of longer texts are kept in a folder, for `--resume`.
      const ask: Ask = (body, signal = client.signal) =>
        askSpeech({ ...client, signal }, body, newOnceKey());
      return { ...(await work(ask, outlet)), close: () => undefined };
    });
  } finally {
    progress.stop();
    disown(world.owner);
  }
}

/**
 * Goes on with a run of the same text of one piece that did not end; its file may be there already.
 */
async function paidOnce(
  world: JobEnv,
  request: SpeakRequest,
  outlet: Outlet,
  isNew: boolean | undefined,
  work: (ask: Ask, outlet: Outlet) => Promise<Saved>,
): Promise<Made> {
  const { model, pieces } = request;
  const hash = requestHash({ speech: bodyFor(request, pieces[0] ?? '') });
  const taken = outlet.kind === 'file' ? outlet.taken : undefined;
  const earlier = await resumable(world, { hash, isNew, taken });
  let intent = earlier?.intent ?? '';
  const close = () => closeRun(world, intent);
  if (earlier && outlet.kind === 'file') {
    for (const file of earlier.saved) {
      // What an earlier run had written, and not told any more.
      if (!isAt(outlet.target, file) || !(await isStillWhole(file))) continue;
      reportResuming(world, earlier);
      const files = [{ ...file, mediaType: undefined }];
      return { files, generationIds: [], reused: 1, apart: undefined, close };
    }
  }
  const beforeNaming = (file: SavedBytes) => {
    note(world, { type: 'saved', intent, index: 0, ...file });
  };
  const noted =
    outlet.kind === 'file' ? { ...outlet, target: { ...outlet.target, beforeNaming } } : outlet;
  const ask: Ask = async (body) => {
    const send = (key: OnceKey) => askSpeech(world.client, body, key);
    const sending = { kind: 'speech', model, hash, row: createSpeech, send } as const;
    const sent = await sendOnce(world, sending, earlier);
    intent = sent.intent;
    return sent.reply;
  };
  return { ...(await work(ask, noted)), close };
}

/** The paths alone on stdout; the rest is for people on stderr, or for programs as JSON. */
async function show(
  { context, client }: JobEnv,
  request: SpeakRequest,
  { apart, files, generationIds, reused }: Saved,
  { open, output }: Options,
  tookMs: number,
): Promise<void> {
  const { out, flags } = context;
  const wantsCost = flags.json || (out.isErrorTerminal && !flags.quiet);
  const asked = generationIds.length > 0 && wantsCost;
  const cost = asked ? await costOf(client, generationIds) : {};
  const { characters, blanksLeftOut, pieces, model, voice, format } = request;
  if (flags.json) {
    const count = pieces.length;
    const leftOut = blanksLeftOut > 0 ? { blanksLeftOut } : {};
    const facts = { model, voice, format, characters, ...leftOut, pieces: count, reused };
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

/** How far the speech has come, as one line on a terminal. */
export interface Progress {
  /** So many more bytes of a piece have come. */
  bytes(index: number, count: number): void;
  stop(): void;
}

/** @param count of pieces. */
async function openProgress({ out, flags, clock }: Context, count: number): Promise<Progress> {
  if (flags.json) return { bytes: () => undefined, stop: () => undefined };
  const startedAtMs = clock.now();
  let total = 0;
  let latest = 0;
  const words = () => {
    const piece = count === 1 ? '' : ` piece ${String(latest + 1)} of ${String(count)}`;
    const bytes = total === 0 ? '' : `${formatBytes(total)} · `;
    return `speaking${piece} · ${bytes}${formatElapsed(clock.now() - startedAtMs)}`;
  };
  const spinner = await out.spinner(words());
  spinner.update(words);
  return {
    bytes: (index, bytes) => {
      total += bytes;
      // Two may be under way: the later one is told.
      if (index <= latest) return;
      latest = index;
      spinner.update(words);
    },
    stop: () => {
      spinner.stop();
    },
  };
}
