import { speak as askSpeech, type Speech, type SpeechBody } from '../../api/audio.js';
import { withOneDeadline, type Client } from '../../api/client.js';
import { costOfAll } from '../../api/cost.js';
import { newOnceKey } from '../../api/beyond-spec.js';
import type { Context } from '../../cli/context.js';
import type { Handler } from '../../cli/declaration.js';
import { disown } from '../../files/owner.js';
import { tellCost } from '../cost.js';
import { formatElapsed } from '../../lib/elapsed.js';
import { showInViewer } from '../../terminal/viewer.js';
import { sayer, openJobs, type JobWorld, note } from '../../jobs/job.js';
import { mayCost } from '../may-cost.js';
import { warnOfExtension } from '../odd-extension.js';
import type { speak } from './index.js';
import { bodyFor, grouped, orderFrom, type Order, type SpeakInput, voiceFor } from './request.js';
import { outletFrom, refuseConflicts, type Outlet, saveSpeech, type Saved } from './save.js';
import { refuseUnjoinable, streamSpeech } from './stream.js';
import { createSpeech } from '../../contract/audio.js';
import { isStillWhole, type SavedBytes } from '../../files/saved-file.js';
import type { LedgerJob } from '../../state/ledger-fold.js';
import { isAt } from '../../jobs/destination.js';
import { sendOnce, closeRun, requestHash, resumable, tellResuming } from '../../jobs/once.js';
import { formatBytes } from '../../lib/bytes.js';

type Options = SpeakInput['options'];

/** Speaks a text into a file, or to stdout as the sound arrives. */
export const run: Handler<typeof speak> = async (context, input) => {
  const startedAtMs = context.clock.now();
  const { options } = input;
  refuseConflicts(context, options);
  const given = await orderFrom(context, input);
  if (options.output === '-') refuseUnjoinable(given);
  const world = await openJobs(context, 'requests');
  const order = await withVoice(world, given);
  const outlet = await outletFrom(order, options, world.ledger);
  if (context.flags.dryRun || context.flags.curl) {
    await askSpeech(world.client, bodyFor(order, order.pieces[0] ?? ''), newOnceKey());
  }
  tellSize(context, order);
  const ended = await made(world, order, outlet, options);
  await show(world, { ...ended, order, tookMs: context.clock.now() - startedAtMs }, options);
  ended.close();
};

/** What is about to be paid for. */
function tellSize(context: Context, { characters, pieces, blanksLeftOut }: Order): void {
  const say = sayer(context);
  if (blanksLeftOut > 0) {
    const blanks = blanksLeftOut === 1 ? 'blank' : 'blanks';
    say(
      `left out ${grouped(blanksLeftOut)} ${blanks}: a piece of the text would hold nothing else`,
    );
  }
  if (pieces.length > 1) {
    say(`${grouped(characters)} characters in ${String(pieces.length)} pieces`);
  }
}

async function withVoice(world: JobWorld, order: Order): Promise<Order> {
  if (order.voice === undefined) return order;
  return { ...order, voice: await voiceFor(world, order.model, order.voice) };
}

async function made(
  world: JobWorld,
  order: Order,
  outlet: Outlet,
  options: Options,
): Promise<Paid> {
  const { context, client: plain } = world;
  const { resume = false, force = false } = options;
  const told = await tellProgress(context, order.pieces.length);
  try {
    return await mayCost(context, plain, async (paying) => {
      const client = withOneDeadline(paying);
      return paidOnce(world, { client, order, outlet, options }, async (ask, booked) => {
        if (booked.kind === 'file') {
          return saveSpeech({ context, ask, order, outlet: booked, told, resume, force });
        }
        const { generationIds } = await streamSpeech(context, ask, order, told);
        await context.out.flush();
        return { files: [], generationIds, reused: 0, apart: undefined };
      });
    });
  } finally {
    told.stop();
    disown(world.owner);
  }
}

interface Ended extends Saved {
  readonly order: Order;
  readonly tookMs: number;
}

/** The paths alone on stdout; the rest is for people on stderr, or for programs as JSON. */
async function show(world: JobWorld, ended: Ended, { open, output }: Options): Promise<void> {
  const { context, client } = world;
  const { out, flags } = context;
  const { files, generationIds, order, reused } = ended;
  const wantsCost = flags.json || (out.isErrorTerminal && !flags.quiet);
  const asked = generationIds.length > 0 && wantsCost;
  const cost = asked ? await costOfAll(client, generationIds) : {};
  const { characters, blanksLeftOut, pieces, model, voice, format } = order;
  if (flags.json) {
    const count = pieces.length;
    const leftOut = blanksLeftOut > 0 ? { blanksLeftOut } : {};
    const facts = { model, voice, format, characters, ...leftOut, pieces: count, reused };
    await out.json({ files, ...facts, cost, ids: { 'generation-id': generationIds } });
  } else {
    tellApart(context, ended);
    if (output !== undefined) for (const file of files) warnOfExtension(context.out, file);
    for (const { path } of files) await out.line(path);
  }
  tellCost(context, cost, [formatElapsed(ended.tookMs)]);
  const [first] = files;
  if (!open || !first) return;
  const failure = await showInViewer(first.path, context.env);
  if (failure !== undefined) out.warn(failure);
}

function tellApart(context: Context, { apart, files, reused }: Ended): void {
  const say = sayer(context);
  if (reused > 0) say(`${String(reused)} pieces were there already, and were not paid for again`);
  if (apart !== undefined)
    say(`${String(files.length)} files, for they cannot be joined: ${apart}`);
}

/** Asks for a piece; resolves when the answer begins. */
export type Ask = (body: SpeechBody, signal?: AbortSignal) => Promise<Speech>;

interface Paying {
  readonly client: Client;
  readonly order: Order;
  readonly outlet: Outlet;
  readonly options: SpeakInput['options'];
}

interface Paid extends Saved {
  /** Called when all has been told: from then on the same command is paid for anew. */
  readonly close: () => void;
}

/**
 * Does the work, in which a text of one piece goes on with a run that did not end; its file may be
 * there already. The pieces of longer texts are kept in a folder, for `--resume`.
 * @throws what `resumable`, `sendOnce` and the work throw.
 */
async function paidOnce(
  world: JobWorld,
  { client, order, outlet, options }: Paying,
  work: (ask: Ask, outlet: Outlet) => Promise<Saved>,
): Promise<Paid> {
  const [text = '', ...others] = order.pieces;
  if (others.length > 0) {
    const ask: Ask = (body, signal = client.signal) =>
      askSpeech({ ...client, signal }, body, newOnceKey());
    return { ...(await work(ask, outlet)), close: () => undefined };
  }
  const { model } = order;
  const wish = requestHash({ speech: bodyFor(order, text) });
  const taken = outlet.kind === 'file' ? outlet.taken : undefined;
  const earlier = await resumable(world, { wish, isNew: options.new, taken });
  let intent = earlier?.intent ?? '';
  const beforeNaming = (file: SavedBytes) => {
    note(world, { type: 'saved', intent, index: 0, ...file });
  };
  const booked =
    outlet.kind === 'file' ? { ...outlet, target: { ...outlet.target, beforeNaming } } : outlet;
  const request = { kind: 'speech', model, wish, row: createSpeech } as const;
  const saved =
    (earlier && (await savedBefore(world, earlier, outlet))) ??
    (await work(async (body) => {
      const sent = await sendOnce(
        { ...world, client },
        { ...request, send: (key) => askSpeech(client, body, key) },
        earlier,
      );
      intent = sent.intent;
      return sent.reply;
    }, booked));
  return { ...saved, close: () => closeRun(world, intent) };
}

/** What an earlier run had written, and not told any more. */
async function savedBefore(
  world: JobWorld,
  earlier: LedgerJob,
  outlet: Outlet,
): Promise<Saved | undefined> {
  if (outlet.kind !== 'file') return undefined;
  for (const file of earlier.saved) {
    if (!isAt(outlet.target, file) || !(await isStillWhole(file))) continue;
    tellResuming(world, earlier);
    const files = [{ ...file, mediaType: undefined }];
    return { files, generationIds: [], reused: 1, apart: undefined };
  }
  return undefined;
}

export interface Told {
  /** So many more bytes of a piece have come. */
  bytes(index: number, count: number): void;
  stop(): void;
}

/** @param count of pieces. */
async function tellProgress({ out, flags, clock }: Context, count: number): Promise<Told> {
  if (flags.json) return { bytes: () => undefined, stop: () => undefined };
  const startedAtMs = clock.now();
  let total = 0;
  let latest = 0;
  const words = () => {
    const elapsed = formatElapsed(clock.now() - startedAtMs);
    const piece = count === 1 ? '' : ` piece ${String(latest + 1)} of ${String(count)}`;
    return `speaking${piece} · ${total === 0 ? '' : `${formatBytes(total)} · `}${elapsed}`;
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
