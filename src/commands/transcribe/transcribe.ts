import { transcribe as ask } from '../../api/audio.js';
import { withOneDeadline } from '../../api/client.js';
import { costOfAll, type Cost } from '../../api/cost.js';
import type { Context } from '../../cli/context.js';
import type { Handler } from '../../cli/declaration.js';
import { transcription as limits } from '../../contract/limits.js';
import { formatBytes } from '../../lib/amounts.js';
import { formatElapsed } from '../../lib/duration.js';
import { newOnceKey } from '../../api/idempotency.js';
import { tellCost } from '../cost.js';
import { sayer } from '../jobs/sayer.js';
import { openJobs } from '../jobs/world.js';
import { fieldsFrom } from './fields.js';
import type { transcribe } from './index.js';
import { partsOf, type Part } from './parts.js';
import { openRecording } from './recording.js';
import { reportOf, type HeardPart } from './report.js';
import { writeDown, type Listening } from './write-down.js';

/** Writes down what a recording says. */
export const run: Handler<typeof transcribe> = async (context, { args, options }) => {
  const { clock, flags, stdin } = context;
  const startedAtMs = clock.now();
  const fields = fieldsFrom(context, options);
  const { split = false, resume = false } = options;
  const recording = await openRecording(args.file, stdin, split ? Infinity : limits.fileBytes);
  try {
    const parts = await partsOf(recording, split);
    const world = await openJobs(context, 'requests');
    const client = withOneDeadline(world.client);
    const [first] = parts;
    if (first && (flags.dryRun || flags.curl)) await ask(client, first, fields, newOnceKey());
    tellSize(context, parts);
    const isNew = options.new === true;
    const listening = { world: { ...world, client }, recording, parts, fields, resume, isNew };
    const ended = await writeDown(context, listening, (heard) => finish(context, listening, heard));
    const cost = ended.cost ?? (await costOf(context, listening, ended.heard));
    tellCost(context, cost, [formatElapsed(clock.now() - startedAtMs)]);
  } finally {
    await recording.close();
  }
};

function tellSize(context: Context, parts: readonly Part[]): void {
  if (parts.length === 1) return;
  const bytes = parts.reduce((sum, { content }) => sum + content.length, 0);
  sayer(context)(`${formatBytes(bytes)} of WAV in ${String(parts.length)} parts`);
}

interface Ended {
  readonly heard: readonly HeardPart[];
  /** Undefined where it is yet to be asked. */
  readonly cost?: Cost;
}

/** What stdout still gets once everything has been heard. */
async function finish(
  context: Context,
  listening: Listening,
  heard: readonly HeardPart[],
): Promise<Ended> {
  const { out, flags } = context;
  if (flags.json) {
    const cost = await costOf(context, listening, heard);
    await out.json(reportOf({ ...listening, heard, cost }));
    return { heard, cost };
  }
  // A terminal's next line starts at its left edge; a pipe gets the text alone.
  if (out.isTerminal && !(heard.at(-1)?.text ?? '\n').endsWith('\n')) await out.text('\n');
  return { heard };
}

/** Of this run alone, where somebody will see it. */
async function costOf(
  { flags, out }: Context,
  { world: { client } }: Listening,
  heard: readonly HeardPart[],
): Promise<Cost> {
  if (!flags.json && (!out.isErrorTerminal || flags.quiet)) return {};
  const paid = heard.filter(({ isReused }) => !isReused);
  return costOfAll(
    client,
    paid.map(({ ids }) => ids['generation-id']),
  );
}
