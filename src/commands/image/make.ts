/** Makes an image in one call, and follows its job when the answer does not come. */
import { randomUUID } from 'node:crypto';
import { outcomeIsUnknown } from '../../api/failure.js';
import { jobNamedBy, makeImages, type ImageBody } from '../../api/images.js';
import { resultLinks } from '../../api/media/results.js';
import { OutcomeUnknown, SvcError } from '../../errors.js';
import { newOwner } from '../../files/owner.js';
import type { Leaving } from '../jobs/farewell.js';
import { usualPatienceMs } from '../jobs/options.js';
import { jobFailure, tell, watchJob } from '../jobs/watch.js';
import { note, now, type JobWorld } from '../jobs/world.js';
import { findImageJob } from './find.js';

export interface Image {
  readonly intent: string;
  readonly jobId: string;
  readonly results: readonly (URL | Buffer)[];
  /** Of the usage record; undefined when the answer did not come. */
  readonly generationId: string | undefined;
  readonly priceRub: number | undefined;
}

/**
 * @param say words for people while it goes on.
 * @throws LocalFileError when it cannot be written down; OutcomeUnknown when nobody can say what
 * became of it; JobFailed, Pending, what `call` throws. It is never sent a second time.
 */
export async function makeImage(
  world: JobWorld,
  body: ImageBody,
  leave: Leaving,
  say: (words: string) => void,
): Promise<Image> {
  const intent = `image-${randomUUID()}`;
  const sentAtMs = world.context.clock.now();
  leave.onKey(intent);
  await writeDown(world, intent, body);
  try {
    const { jobId = intent, urls, files, generationId } = await makeImages(world.client, body);
    note(world, { type: 'accepted', intent, jobId, status: 'processing' });
    tell(world, intent, { state: 'success', resultUrls: [...urls, ...files.map(() => '')] }, true);
    const results = [...resultLinks(world.client, urls), ...files];
    return { intent, jobId, results, generationId, priceRub: undefined };
  } catch (error) {
    const jobId = await jobOf(world, { intent, error, model: body.model, sentAtMs });
    say(`no image came; going on with its job ${jobId}`);
    leave.onJob(jobId);
    return follow(world, intent, jobId);
  }
}

async function writeDown(world: JobWorld, intent: string, body: ImageBody): Promise<void> {
  world.ledger.append(
    now(world, {
      type: 'wanted',
      intent,
      kind: 'image',
      account: world.account,
      owner: await newOwner(),
      model: body.model,
      wish: intent,
      headers: {},
      body: JSON.stringify(body),
    }),
  );
}

interface Failed {
  readonly intent: string;
  readonly error: unknown;
  readonly model: string;
  readonly sentAtMs: number;
}

/** The job behind a call that failed. @throws the error when there is none. */
async function jobOf(world: JobWorld, { intent, error, model, sentAtMs }: Failed): Promise<string> {
  const message = error instanceof Error ? error.message : undefined;
  const jobId = jobNamedBy(error) ?? (await foundInList(world, { intent, error, model, sentAtMs }));
  if (jobId !== undefined) {
    note(world, { type: 'accepted', intent, jobId, status: 'processing' });
    return jobId;
  }
  if (outcomeIsUnknown(error) || !(error instanceof SvcError)) {
    note(world, { type: 'uncertain', intent, isUnanswered: true, message });
  } else {
    note(world, { type: 'dropped', intent, why: 'refused', code: error.code, message });
  }
  throw error;
}

/** It may appear a little late; the list is asked a few times. */
const looks = 4;
const betweenMs = 1500;

async function foundInList(
  world: JobWorld,
  { intent, error, model, sentAtMs }: Failed,
): Promise<string | undefined> {
  const { clock, signal } = world.context;
  if (!outcomeIsUnknown(error) || signal.aborted) return undefined;
  for (let look = 1; look <= looks; look += 1) {
    const untilMs = clock.now();
    const job = await findImageJob(world, { intent, model, sentAtMs, untilMs }).catch(onlySeveral);
    if (job) return job.id;
    if (look < looks) await clock.sleep(betweenMs, signal);
  }
  return undefined;
}

/** That the list cannot be had changes nothing; that it names several is the better news. */
function onlySeveral(error: unknown): undefined {
  if (error instanceof OutcomeUnknown || !(error instanceof SvcError)) throw error;
  return undefined;
}

async function follow(world: JobWorld, intent: string, jobId: string): Promise<Image> {
  const deadlineMs = world.context.flags.timeoutMs ?? usualPatienceMs;
  const status = await watchJob(world, { intent, jobId }, { deadlineMs });
  if (status.state !== 'success') throw jobFailure(jobId, status);
  const results = resultLinks(world.client, status.resultUrls);
  return { intent, jobId, results, generationId: undefined, priceRub: status.priceRub };
}
