import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PNG } from 'pngjs';
import { expect, it } from 'vitest';
import { createService } from '../../../src/service/service.js';
import { testFolder } from '../../helpers/folder.js';
import { keys, get } from '../helpers.js';
import { day, draft, finished, follow, open, refusedWith, started } from './helpers.js';

/** Made in no time, which a picture is not. */
const spoken = { model: 'local/voice', prompt: 'a lighthouse' };

async function bytesOf(response: Response): Promise<Buffer> {
  return Buffer.from(await response.arrayBuffer());
}

it('GET /api/media/file/{id}/{idx} returns the picture for its link, without a key', async () => {
  const opened = open();
  const { url, jobId } = await finished(opened);
  const response = await follow(opened, url);
  expect(response.status).toBe(200);
  const bytes = await bytesOf(response);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'image/png',
    'content-length': String(bytes.length),
    'content-disposition': `inline; filename="${jobId}-0.png"`,
    'accept-ranges': 'bytes',
    etag: `"${createHash('sha256').update(bytes).digest('hex')}"`,
    'x-content-type-options': 'nosniff',
  });
  expect(PNG.sync.read(bytes)).toMatchObject({ width: 1024, height: 1024 });
});

it('GET /api/media/file/{id}/{idx} gives each of several results, and no more than there are', async () => {
  const opened = open();
  const { job } = await finished(opened, { ...draft, opts: { quality: 'draft', n: 2 } });
  const [first = '', second = ''] = job.resultUrls ?? [];
  const etag = async (url: string) => {
    const response = await follow(opened, url);
    await response.body?.cancel();
    return response.headers.get('etag');
  };
  expect(await etag(first)).not.toBe(await etag(second));
  const beyond = second.replace(
    /\/1\?sig=.*/,
    `/2?sig=${new URL(second).searchParams.get('sig') ?? ''}`,
  );
  expect(await refusedWith(await follow(opened, beyond))).toBe('404 result_not_found');
});

it('GET /api/media/file/{id}/{idx} is not found without the signature of this very file', async () => {
  const opened = open();
  const { url } = await finished(opened, spoken);
  const other = await finished(opened, { ...spoken, prompt: 'another' });
  const bare = url.replace(/\?.*/, '');
  const sig = new URL(url).searchParams.get('sig') ?? '';
  const changed = (sig.startsWith('A') ? 'B' : 'A') + sig.slice(1);
  for (const wrong of [
    bare,
    `${bare}?sig=`,
    `${bare}?sig=${changed}`,
    `${bare}?sig=${sig}x`,
    `${bare}?sig=${sig.slice(0, -1)}`,
    other.url.replace(/sig=.*/, `sig=${sig}`),
    url.replace('/0?', '/1?'),
    url.replace('/0?', '/00?'),
    url.replace('/0?', '/-1?'),
    url.replace(/job_[^/]*/, 'job_x'),
  ]) {
    expect(await refusedWith(await follow(opened, wrong)), wrong).toBe('404 result_not_found');
  }
  expect(
    (await get(opened.service, bare.slice('http://any.example'.length), keys.local)).status,
  ).toBe(404);
});

it('GET /api/media/file/{id}/{idx} is gone 7 days after the job ended: 410, but only with the signature', async () => {
  const opened = open({ jobTimeMs: 1000 });
  const { jobId } = await started(opened, spoken);
  const due = opened.clock.now() + 1000;
  opened.clock.set(due);
  const job = await get(opened.service, `/api/media/jobs/${jobId}`);
  const text = await job.text();
  const url = /http:[^"]+/.exec(text)?.[0] ?? '';
  opened.clock.set(due + 7 * day - 1);
  const kept = await follow(opened, url);
  expect(kept.status).toBe(200);
  await kept.body?.cancel();
  opened.clock.set(due + 7 * day);
  expect(await refusedWith(await follow(opened, url))).toBe('410 result_expired');
  const forged = await follow(
    opened,
    url.replace(/sig=./, (sig) => (sig === 'sig=_' ? 'sig=-' : 'sig=_')),
  );
  expect(await refusedWith(forged)).toBe('404 result_not_found');
});

it('the file of a result is kept for its owner alone, and goes when it has expired', async () => {
  const folder = testFolder();
  const opened = open({ storePath: join(folder, 'local.sqlite') });
  const { url } = await finished(opened, spoken);
  const results = join(folder, 'local-media', 'results');
  await bytesOf(await follow(opened, url));
  const [name = ''] = readdirSync(results);
  expect(readdirSync(results)).toEqual([expect.stringMatching(/^job_\w+-0\.wav$/)]);
  opened.clock.set(opened.clock.now() + 8 * day);
  const next = await finished(opened, { ...spoken, prompt: 'another' });
  await bytesOf(await follow(opened, next.url));
  expect(readdirSync(results)).toHaveLength(1);
  expect(readdirSync(results)).not.toContain(name);
});

it('the file of a result removes what a dead process had begun', async () => {
  const folder = testFolder();
  const results = join(folder, 'local-media', 'results');
  mkdirSync(results, { recursive: true });
  const [old, fresh] = ['job_a-0.wav.x.part', 'job_b-0.wav.y.part'];
  for (const name of [old, fresh]) writeFileSync(join(results, name), 'half');
  const hoursAgo = Date.now() / 1000 - 2 * 3600;
  utimesSync(join(results, old), hoursAgo, hoursAgo);
  const opened = open({ storePath: join(folder, 'local.sqlite') });
  const { url, jobId } = await finished(opened, spoken);
  await bytesOf(await follow(opened, url));
  // What is young may still be written by another process.
  expect(readdirSync(results).sort()).toEqual([`${jobId}-0.wav`, fresh].sort());
});

it('the file of a result is made again, byte for byte, when it is lost or damaged', async () => {
  const folder = testFolder();
  const opened = open({ storePath: join(folder, 'local.sqlite') });
  const { url } = await finished(opened, spoken);
  const results = join(folder, 'local-media', 'results');
  const first = await bytesOf(await follow(opened, url));
  const [name = ''] = readdirSync(results);
  truncateSync(join(results, name), 100);
  expect((await bytesOf(await follow(opened, url))).equals(first)).toBe(true);
  rmSync(join(results, name));
  expect((await bytesOf(await follow(opened, url))).equals(first)).toBe(true);
});

it('the file of a result is the same from another process, and made once by many that ask at once', async () => {
  const storePath = join(testFolder(), 'local.sqlite');
  const opened = open({ storePath });
  const { url } = await finished(opened, spoken);
  const other = createService({ storePath, clock: opened.clock });
  const responses = await Promise.all(
    Array.from({ length: 6 }, (_, i) =>
      (i % 2 === 0 ? opened.service : other).fetch(new Request(url)),
    ),
  );
  const bodies = await Promise.all(responses.map(bytesOf));
  other.close();
  for (const body of bodies) expect(body.equals(bodies[0] ?? Buffer.alloc(0))).toBe(true);
  expect(bodies[0]?.length).toBeGreaterThan(1000);
});
