/** Asks for speech so that the same command typed again is not paid for again. */
import { speak, type Speech, type SpeechBody } from '../../api/audio.js';
import type { Client } from '../../api/client.js';
import { newOnceKey } from '../../api/idempotency.js';
import { createSpeech } from '../../contract/audio.js';
import { isStillWhole, type SavedBytes } from '../../files/saved-file.js';
import type { LedgerJob } from '../../state/ledger-fold.js';
import { isAt } from '../../jobs/destination.js';
import { sendOnce } from '../../jobs/once.js';
import { closeRun, requestHash, resumable, tellResuming } from '../../jobs/once.js';
import { note, type JobWorld } from '../../jobs/job.js';
import { bodyFor, type Order, type SpeakInput } from './order.js';
import type { Outlet } from './outlet.js';
import type { Saved } from './save.js';

/** Asks for a piece; resolves when the answer begins. */
export type Ask = (body: SpeechBody, signal?: AbortSignal) => Promise<Speech>;

export interface Paying {
  readonly client: Client;
  readonly order: Order;
  readonly outlet: Outlet;
  readonly options: SpeakInput['options'];
}

export interface Paid extends Saved {
  /** Called when all has been told: from then on the same command is paid for anew. */
  readonly close: () => void;
}

/**
 * Does the work, in which a text of one piece goes on with a run that did not end; its file may be
 * there already. The pieces of longer texts are kept in a folder, for `--resume`.
 * @throws what `resumable`, `sendOnce` and the work throw.
 */
export async function paidOnce(
  world: JobWorld,
  { client, order, outlet, options }: Paying,
  work: (ask: Ask, outlet: Outlet) => Promise<Saved>,
): Promise<Paid> {
  const [text = '', ...others] = order.pieces;
  if (others.length > 0) {
    const ask: Ask = (body, signal = client.signal) =>
      speak({ ...client, signal }, body, newOnceKey());
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
        { ...request, send: (key) => speak(client, body, key) },
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
