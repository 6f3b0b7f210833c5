/** Makes an image in one call, and follows its job when the answer does not come. */
import type { OnceKey } from '../../api/beyond-spec.js';
import { jobNamedBy, makeImages, type ImageBody, type MadeImages } from '../../api/images.js';
import { howToFindOut } from '../../api/failure.js';
import { resultLinks } from '../../api/media/results.js';
import { createImage } from '../../contract/images.js';
import { Incomplete } from '../../errors.js';
import type { LedgerJob } from '../../state/ledger-fold.js';
import type { Leaving } from '../jobs/farewell.js';
import { sendOnce } from '../jobs/once.js';
import { usualPatienceMs } from '../jobs/options.js';
import { tellResuming } from '../jobs/resume.js';
import { sayer } from '../jobs/sayer.js';
import { jobFailure, tell, watchJob } from '../jobs/watch.js';
import { note, type JobWorld } from '../jobs/world.js';
import { lookForImage } from './lost.js';

export interface Image {
  readonly intent: string;
  readonly jobId: string;
  readonly results: readonly (URL | Buffer)[];
  /** Of the usage record; undefined when the answer did not come. */
  readonly generationId: string | undefined;
  readonly priceRub: number | undefined;
}

export interface Making {
  readonly body: ImageBody;
  /** The hash of the request. */
  readonly wish: string;
  /** The run to go on with. */
  readonly earlier: LedgerJob | undefined;
  readonly leave: Leaving;
}

/**
 * @throws LocalFileError when it cannot be written down; OutcomeUnknown when nobody can say what
 * became of it; JobFailed, Pending, what `call` throws.
 */
export async function makeImage(world: JobWorld, making: Making): Promise<Image> {
  const { body, wish, earlier, leave } = making;
  if (earlier?.jobId !== undefined && earlier.jobId !== earlier.intent) {
    tellResuming(world, earlier);
    leave.onJob(earlier.jobId);
    return follow(world, earlier.intent, earlier.jobId);
  }
  const request = { kind: 'image', model: body.model, wish, body: JSON.stringify(body) } as const;
  const { intent, reply } = await sendOnce(
    world,
    {
      ...request,
      row: createImage,
      send: (key) => madeOrNamed(world, body, key),
      lookFor: (lost) => lookForImage(world, lost).catch(() => undefined),
      onKey: leave.onKey,
    },
    earlier,
  );
  const { jobId = intent, urls, files, generationId } = reply;
  if (reply.jobId === undefined && urls.length + files.length === 0) {
    note(world, { type: 'uncertain', intent, isUnanswered: false });
    throw new Incomplete('the answer holds no image, and names no job', {
      code: 'invalid_reply',
      hint: howToFindOut(createImage),
    });
  }
  note(world, { type: 'accepted', intent, jobId, status: 'processing' });
  if (urls.length + files.length === 0) {
    sayer(world.context)(`no image came; going on with its job ${jobId}`);
    leave.onJob(jobId);
    return follow(world, intent, jobId);
  }
  tell(world, intent, { state: 'success', resultUrls: [...urls, ...files.map(() => '')] }, true);
  const results = [...resultLinks(world.client, urls), ...files];
  return { intent, jobId, results, generationId, priceRub: undefined };
}

/** A failing answer may name the job: a 504 does. */
async function madeOrNamed(world: JobWorld, body: ImageBody, key: OnceKey): Promise<MadeImages> {
  try {
    return await makeImages(world.client, body, key);
  } catch (error) {
    const jobId = jobNamedBy(error);
    if (jobId === undefined) throw error;
    return { jobId, generationId: undefined, urls: [], files: [] };
  }
}

async function follow(world: JobWorld, intent: string, jobId: string): Promise<Image> {
  const deadlineMs = world.client.deadlineMs ?? usualPatienceMs;
  const status = await watchJob(world, { intent, jobId }, { deadlineMs });
  if (status.state !== 'success') throw jobFailure(jobId, status);
  const results = resultLinks(world.client, status.resultUrls);
  return { intent, jobId, results, generationId: undefined, priceRub: status.priceRub };
}
