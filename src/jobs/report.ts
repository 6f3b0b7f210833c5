/** What is told of a job: an object for programs, words for people. */
import type { Cost } from '../api/cost.js';
import { routeOf, type JobStatus } from '../api/media/follow.js';
import { plainText } from '../lib/plain-text.js';
import type { LedgerJob } from '../state/ledger-fold.js';
import type { Collected } from './collect.js';

/** A job, as far as it is known at the end of a command. */
export interface JobFacts {
  readonly jobId: string;
  /** As it was asked for; undefined when only the id is known. */
  readonly model: string | undefined;
  readonly status: JobStatus | undefined;
  /** A status of the service, when nothing more is known of it. */
  readonly state?: string;
  /** What the ledger knows, where the status does not tell. */
  readonly ledger?: LedgerJob;
  readonly files?: readonly Collected[];
  readonly cost: Cost;
}

/** The object of --json. Fields are added, never changed. */
export function jobJson(facts: JobFacts): Record<string, unknown> {
  const { jobId, model, status, state, ledger, files, cost } = facts;
  const reply = status?.reply;
  const route = { ...ledger?.route, ...routeOf(reply) };
  return {
    job: jobId,
    status: status?.state ?? state,
    model: route.effectiveModel ?? reply?.model ?? model,
    requestedModel: model,
    ...route,
    stage: status?.stage,
    charged: status?.charged,
    errorCode: status ? status.code : ledger?.code,
    failMsg: status?.message,
    retryGuidance: status ? status.guidance : ledger?.guidance,
    results: status?.resultUrls.length,
    resultsExpireAt: reply?.resultsExpireAt ?? undefined,
    resultText: reply?.resultText ?? undefined,
    resultMeta: reply?.resultMeta ?? undefined,
    files: files?.map(({ index, path, bytes, mediaType }) => ({ index, path, bytes, mediaType })),
    cost,
  };
}

/** Why a job is not simply at work, in a sentence; undefined when it is. */
export function uncertaintyWords({ isUncertain, stage, guidance }: JobStatus): string | undefined {
  if (!isUncertain) return undefined;
  if (stage !== undefined) {
    return `the submission is simulated as uncertain (sandbox stage ${plainText(stage, 40)})`;
  }
  const advice = guidance === undefined ? '' : ` (${guidance})`;
  return `the service does not know yet whether it has begun${advice}; svc goes on asking about this job and sends nothing again`;
}

/** The rows of `resultMeta`, in the order in which it came. */
export function metaLines(meta: object): string[] {
  return Object.entries(meta).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `${plainText(name, 60)}: ${plainText(text, 300)}`;
  });
}
