/** Synchronous images (section 2.12): jobs that are charged when they succeed. */
import { images as limits } from '../contract/limits.js';
import { createImage, ImageRequest, listImages } from '../contract/images.js';
import { recordOf } from '../lib/json.js';
import { json, type Call, type Reply } from './call.js';
import { toMicroRub, toRub } from './charge.js';
import { badRequest, ServiceFailure } from './failure.js';
import { claimOf, forget, type Claim } from './idempotency.js';
import { canvas, canvasOptions } from './media/engines/canvas.js';
import { earlierJob, current, newJob, submit } from './media/jobs.js';
import { openResult } from './media/job-files.js';
import { linksTo, resultsOf } from './media/results.js';
import { parse } from './body.js';
import { resolveSync } from './models.js';
import { mediaJobs, type Job } from './store/tables.js';

export async function create(call: Call): Promise<Reply> {
  const { app, request } = call;
  const { clock } = app;
  const body = await readRequest(call);
  const claim = claimOf(call, 'images.create', body);
  const patienceMs = clock.now() + app.settings.imageDeadlineMs;
  const job = earlierJob(app, claim) ?? (await start(call, body, claim));
  const { id, dueAtMs } = job;
  const headers = { [app.brand.header('media-job-id')]: id };
  const details = { headers, fields: { job_id: id } };
  const untilMs = Math.min(dueAtMs, patienceMs);
  // A timer may wake a little early.
  while (clock.now() < untilMs) await clock.sleep(untilMs - clock.now(), request.signal);
  if (clock.now() < dueAtMs) {
    const message = `the image is not finished: get the job ${id}, or list the images, later`;
    throw new ServiceFailure(504, 'image_deadline_exceeded', message, details);
  }
  const ended = await current(app, job);
  if (ended.state !== 'success') {
    forget(app, claim, id);
    const { errorCode: code = 'image_failed', failMessage = 'it failed' } = ended;
    const status = code === 'insufficient_balance' ? 402 : 502;
    throw new ServiceFailure(status, code, `${failMessage}; nothing was charged`, details);
  }
  if (job.state === 'running') call.chargedRub = toRub(ended.priceMicroRub);
  call.usageId = ended.usageId;
  const data = await dataOf(call, ended, body.response_format ?? 'url');
  return json({ created: Math.floor(ended.createdAtMs / 1000), data }, 200, headers);
}

/** GET /v1/images/generations: only the key's images, newest first. */
export async function list(call: Call): Promise<Reply> {
  const { app, caller, url } = call;
  const { limit = limits.list.default } = call.query(listImages.query);
  const newest = "AND origin = 'image' ORDER BY seq DESC LIMIT ?";
  const jobs = mediaJobs.all(app.store, { keyHash: caller.keyHash }, newest, limit);
  const data = [];
  for (const listed of jobs) {
    const job = await current(app, listed);
    const results = resultsOf(app.store, job.id);
    const available = results.filter((one) => one.expiresAtMs > app.clock.now());
    data.push({
      id: job.id,
      model: job.requestedModel,
      status: statuses[job.state],
      created: Math.floor(job.createdAtMs / 1000),
      cost_rub: job.state === 'success' ? toRub(job.priceMicroRub) : 0,
      data: linksTo(app.store, url.origin, available).map((link) => ({ url: link })),
    });
  }
  return json({ object: 'list', data });
}

async function readRequest(call: Call) {
  const body = await call.json();
  const names = Object.keys(recordOf(body));
  const unknown = names.find((name) => !Object.hasOwn(ImageRequest.shape, name))?.slice(0, 60);
  if (unknown === undefined) return parse(createImage.body, body);
  const message = `the request has the unknown parameter ${JSON.stringify(unknown)}`;
  throw badRequest(message, unknown, 'unknown_parameter');
}

/** Accepts the image job; its price is charged only for an image. */
async function start(
  call: Call,
  body: Awaited<ReturnType<typeof readRequest>>,
  claim: Claim,
): Promise<Job> {
  const { model: requestedModel, prompt, size, quality } = body;
  const others = { does: 'make images', code: 'model_not_image' };
  const route = await resolveSync(call, requestedModel, canvas, others);
  const chosen = canvasOptions({ size, quality });
  if (!chosen.opts) {
    const message = `${canvas.id} does not offer this ${chosen.refused}`;
    throw badRequest(message, chosen.refused, `unsupported_${chosen.refused}`);
  }
  const request = { prompt, opts: chosen.opts };
  const { job, violations } = route.model.check(request);
  if (!job) throw badRequest(violations[0]?.message ?? 'the request is not valid for the model');
  const priceMicroRub = toMicroRub(job.price({}).priceRub);
  const facts = { channel: route.variant.alias, requestedModel, request, priceMicroRub };
  const newImage = newJob(call, route.model, { ...facts, origin: 'image' });
  return submit(call, claim, newImage, { payment: 'atEnd' });
}

async function dataOf({ app, url }: Call, job: Job, format: 'url' | 'b64_json') {
  const results = resultsOf(app.store, job.id);
  if (format === 'url') return linksTo(app.store, url.origin, results).map((url) => ({ url }));
  const data = [];
  for (const result of results) {
    const { handle } = await openResult(app, job, result);
    try {
      data.push({ b64_json: (await handle.readFile()).toString('base64') });
    } finally {
      await handle.close();
    }
  }
  return data;
}

const statuses = { running: 'in_progress', success: 'succeeded', fail: 'failed' } as const;
