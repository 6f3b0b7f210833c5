import { jobState } from '../../api/media/state.js';
import { fullMomentCell, rubWords } from '../cells.js';
import type { Handler } from '../../context.js';
import { jobJson, metaLines } from '../../jobs/finish.js';
import { askOnce, uncertaintyWords } from '../../jobs/follow.js';
import { namedJob, openJobs } from '../../jobs/job.js';
import { mayBeReconciled, reconcile, reconciledJob } from '../../jobs/submit.js';
import { plainText } from '../../lib/plain-text.js';
import type { show } from './index.js';

export const run: Handler<typeof show> = async (context, { args }) => {
  const { out, flags } = context;
  const env = await openJobs(context);
  let job = namedJob(env, args.id);
  const { ledger } = job;
  // A request that was interrupted before its job id was known gets it now.
  if (ledger && (await mayBeReconciled(ledger))) {
    job = reconciledJob(env, job, await reconcile(env, [ledger]));
    if (job.error) throw job.error;
  }
  const status = await askOnce(env, job);
  const files = env.ledger.copies({ ...job, account: env.account });
  if (flags.json) {
    const { prompt, intent: key } = ledger ?? {};
    return out.json({ ...jobJson({ ...job, status }), prompt, key, files, reply: status.reply });
  }
  const { reply, charged, resultUrls, priceRub = job.priceRub } = status;
  const isCharged = charged ? 'yes' : charged === false && 'no';
  const facts: (readonly [string, string | undefined | null | false])[] = [
    ['Job', job.jobId],
    ['Model', reply.effectiveModel ?? reply.model ?? job.model],
    ['Provider', reply.provider],
    ['State', jobState(status.state)],
    ['Stage', status.stage],
    ['Note', uncertaintyWords(status)],
    ['Charged', isCharged],
    ['Price', priceRub === undefined ? undefined : rubWords(context, priceRub)],
    // In a pipe the rows stay as they always were.
    ['Prompt', out.isTerminal ? ledger?.prompt : undefined],
    [out.isTerminal ? 'Created' : 'Made', fullMomentCell(context, ledger?.wantedAtMs)],
    ['Failure', status.message],
    ['Code', status.code],
    ['Results', resultUrls.length > 0 ? String(resultUrls.length) : undefined],
    [out.isTerminal ? 'Expires' : 'Expire', fullMomentCell(context, reply.resultsExpireAt ?? '')],
    ['Text', reply.resultText],
    ...metaLines(reply.resultMeta, out.isTerminal).map((line) => ['Meta', line] as const),
    ...files.map(({ path }) => ['File', path] as const),
  ];
  const rows = facts.flatMap(([name, value]) => (value ? [[name, plainText(value, 500)]] : []));
  await out.fields(rows);
};
