import { askJob, isUnknownJob, type JobStatus } from '../../api/media/follow.js';
import type { Handler } from '../../cli/declaration.js';
import { formatRub } from '../../lib/amounts.js';
import { plainText } from '../../lib/plain-text.js';
import type { SavedFile } from '../../state/ledger-fold.js';
import { copiesOf, namedJobs, type NamedJob } from './find.js';
import type { show } from './index.js';
import { jobJson, metaLines, uncertaintyWords } from './report.js';
import { mayBeSettled, settle } from './settle.js';
import { noSuchJob, tell } from './watch.js';
import { openJobs, type JobWorld } from './world.js';

/** Shows how a job stands. */
export const run: Handler<typeof show> = async (context, { args }) => {
  const { out, flags } = context;
  const world = await openJobs(context);
  const [job] = namedJobs(world, [args.id]);
  if (!job) return;
  const known = await settled(world, job);
  const status = await asked(world, known);
  const { ledger, jobId } = known;
  const cost = { priceRub: status.priceRub ?? ledger?.priceRub };
  const copies = copiesOf(world, known);
  if (flags.json) {
    const facts = jobJson({ jobId, model: ledger?.model, status, ledger, cost });
    await out.json({ ...facts, key: ledger?.intent, files: copies, reply: status.reply });
    return;
  }
  await out.table(
    [{ title: 'WHAT' }, { title: 'VALUE' }],
    rowsOf(known, status, copies).map(([name = '', value = '']) => [name, value]),
  );
};

/** A job that was cut off before its id was known gets it now. */
async function settled(world: JobWorld, job: NamedJob): Promise<NamedJob> {
  if (!job.ledger || !(await mayBeSettled(job.ledger))) return job;
  return { ...job, jobId: await settle(world, job.ledger) };
}

async function asked(world: JobWorld, { jobId, ledger }: NamedJob): Promise<JobStatus> {
  try {
    const status = await askJob(world.client, jobId);
    if (ledger && status.state !== ledger.state) tell(world, ledger.intent, status, false);
    return status;
  } catch (error) {
    if (!isUnknownJob(error)) throw error;
    if (ledger?.jobId !== undefined) tell(world, ledger.intent, { state: 'unknown_job' }, false);
    throw noSuchJob(jobId, error);
  }
}

function rowsOf(
  { jobId, ledger }: NamedJob,
  status: JobStatus,
  copies: readonly SavedFile[],
): string[][] {
  const { reply } = status;
  const price = status.priceRub ?? ledger?.priceRub;
  const facts: (readonly [string, string | undefined | null])[] = [
    ['Job', jobId],
    ['Model', reply.effectiveModel ?? reply.model ?? ledger?.model],
    ['Provider', reply.provider],
    ['State', status.state],
    ['Stage', status.stage],
    ['Note', uncertaintyWords(status)],
    ['Charged', status.charged === undefined ? undefined : status.charged ? 'yes' : 'no'],
    ['Price', price === undefined ? undefined : formatRub(price)],
    ['Made', ledger && new Date(ledger.wantedAtMs).toISOString()],
    ['Failure', status.message],
    ['Code', status.code],
    ['Results', status.resultUrls.length > 0 ? String(status.resultUrls.length) : undefined],
    ['Expire', reply.resultsExpireAt],
    ['Text', reply.resultText],
    ...metaLines(reply.resultMeta ?? {}).map((line) => ['Meta', line] as const),
    ...copies.map(({ path }) => ['File', path] as const),
  ];
  return facts.flatMap(([name, value]) =>
    value === undefined || value === null || value === '' ? [] : [[name, plainText(value, 500)]],
  );
}
