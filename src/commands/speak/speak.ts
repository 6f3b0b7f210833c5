import { speak as speakOnce } from '../../api/audio.js';
import { withOneDeadline } from '../../api/client.js';
import { costOfAll } from '../../api/cost.js';
import { newOnceKey } from '../../api/idempotency.js';
import type { Context } from '../../cli/context.js';
import type { Handler } from '../../cli/declaration.js';
import { disown } from '../../files/owner.js';
import { tellCost } from '../cost.js';
import { formatElapsed } from '../../lib/duration.js';
import { showInViewer } from '../../terminal/viewer.js';
import { sayer } from '../jobs/sayer.js';
import { mayCost } from '../may-cost.js';
import { openJobs, type JobWorld } from '../jobs/world.js';
import { warnOfExtension } from '../odd-extension.js';
import type { speak } from './index.js';
import { bodyFor, grouped, orderFrom, type Order, type SpeakInput } from './order.js';
import { outletFrom, refuseConflicts, type Outlet } from './outlet.js';
import { paidOnce, type Paid } from './paid.js';
import { tellProgress } from './progress.js';
import { saveSpeech, type Saved } from './save.js';
import { refuseUnjoinable, streamSpeech } from './stream.js';
import { voiceFor } from './voice.js';

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
    await speakOnce(world.client, bodyFor(order, order.pieces[0] ?? ''), newOnceKey());
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
