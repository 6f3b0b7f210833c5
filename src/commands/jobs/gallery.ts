import { randomUUID } from 'node:crypto';
import { basename, dirname, extname, relative, resolve, sep } from 'node:path';
import type { Handler } from '../../context.js';
import { UsageError } from '../../errors.js';
import { withFiles } from '../../files/named-file.js';
import { PartFile } from '../../files/part-file.js';
import { targetFrom } from '../../files/target.js';
import { openJobs } from '../../jobs/job.js';
import { openResult } from '../../jobs/show-file.js';
import { formatRub } from '../../lib/amounts.js';
import { exactly } from '../../lib/audio/source.js';
import { fileKindOf, kindBytes } from '../../lib/file-kind.js';
import { localMoment } from '../../lib/moment.js';
import type { Account } from '../../state/account.js';
import { Ledger } from '../../state/ledger.js';
import type { LedgerJob, SavedFile } from '../../state/ledger-job.js';
import template from './gallery.html?raw';
import type { gallery } from './index.js';

/** In all files together; browsers are slow with more. */
const maxEmbeddedBytes = 30_000_000;

const usualName = 'gallery.html';

export const run: Handler<typeof gallery> = async (context, { options }) => {
  const { out, flags, paths } = context;
  const { output, force = false, limit, open } = options;
  const replace = force || (output === undefined && (await isOwnPage(usualName)));
  const place = await targetFrom(output ?? usualName, { replace });
  const env = await openJobs(context);
  const speeches = savedJobs(new Ledger(paths, 'requests'), env.account);
  const jobs = [
    ...savedJobs(env.ledger, env.account),
    ...speeches.filter(({ kind }) => kind === 'speech'),
  ]
    .sort((one, other) => other.wantedAtMs - one.wantedAtMs)
    .slice(0, limit);
  if (jobs.length === 0) {
    const hint = 'download some: `svc jobs download --all`';
    throw new UsageError('no results are saved yet', { code: 'no_job', hint });
  }
  const folder = resolve(place.kind === 'folder' ? place.folder : dirname(place.path));
  const page = await pageOf(jobs, folder);
  if (output === '-') return out.text(page);
  const target = place.kind === 'folder' ? { ...place, name: () => usualName } : place;
  const part = await PartFile.open(target);
  const path = resolve((await part.fill({}, (take) => take(Buffer.from(page)))).path);
  await (flags.json ? out.json({ files: [{ path }], jobs: jobs.length }) : out.line(path));
  if (open) await openResult(context, path, true);
};

/** Whether svc made the page, so that it may be made again. */
function isOwnPage(path: string): Promise<boolean> {
  const mark = 'name="generator" content="svc jobs gallery"';
  const begins = withFiles([path], async ([file]) => file && exactly(file, 0, 1000));
  return begins.then((head) => head?.includes(mark) === true).catch(() => false);
}

function savedJobs(ledger: Ledger, account: Account): LedgerJob[] {
  const jobs: LedgerJob[] = [];
  for (const page of ledger.pages({ account, endedAfterMs: -Infinity })) {
    jobs.push(...page.filter(({ saved }) => saved.length > 0));
  }
  return jobs.reverse();
}

async function pageOf(jobs: readonly LedgerJob[], folder: string): Promise<string> {
  const room = { bytes: maxEmbeddedBytes };
  const cards: Awaited<ReturnType<typeof cardOf>>[] = [];
  for (const job of jobs) cards.push(await cardOf(job, folder, room));
  const choices = (values: readonly string[]) =>
    Array.from(new Set(values), (value) => `<option>${escaped(value)}</option>`).join('');
  const parts: Record<string, string> = {
    // The policy of the page lets nothing run that does not know it.
    nonce: randomUUID(),
    models: choices(jobs.map(({ model }) => model)),
    states: choices(cards.map(({ state }) => state)),
    cards: cards.map(({ html }) => html).join('\n'),
  };
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => parts[name] ?? '');
}

async function cardOf(job: LedgerJob, folder: string, room: { bytes: number }) {
  const { jobId = '', model, priceRub, prompt = '', results = 0, saved, wantedAtMs } = job;
  const files: ShownFile[] = [];
  for (const file of saved) files.push(await shownFile(file, folder, room));
  const isPart = saved.length < results;
  const state = files.some(({ kind }) => !kind) ? 'missing' : isPart ? 'incomplete' : 'done';
  const kind = files.find((file) => file.kind)?.kind ?? 'other';
  const data = Object.entries({ kind, state, model, rub: String(priceRub ?? 0) });
  const html = [
    `<article tabindex="-1" ${data.map(([name, value]) => `data-${name}="${escaped(value)}"`).join(' ')}>`,
    `<div class="media">${files.map(({ view }) => view).join('')}</div>`,
    `<div class="about"><p class="prompt" dir="auto">${escaped(prompt || job.kind)}</p>`,
    `<p class="row"><span class="state">${isPart ? `${saved.length} of ${results} saved` : state}</span>`,
    `<span>${priceRub === undefined ? '' : formatRub(priceRub)}</span></p>`,
    `<p class="row"><bdi title="${escaped(model)}">${escaped(model)}</bdi>`,
    `<time>${localMoment(wantedAtMs)}</time></p>`,
    `<p class="row files">${files.map(({ link }) => link).join(' ')}</p>`,
    `<p class="id">${escaped(jobId)}</p></div></article>`,
  ];
  return { state, html: html.join('\n') };
}

const views: Readonly<Record<string, (source: string) => string>> = {
  image: (source) => `<img src="${source}" alt="" loading="lazy" decoding="async" />`,
  audio: (source) =>
    `<div class="sound"><audio src="${source}" controls preload="none"></audio></div>`,
  video: (source) => `<video src="${source}" controls playsinline preload="none"></video>`,
};

/** A result on the page. */
interface ShownFile {
  /** Undefined for a file that is no longer there. */
  readonly kind?: string;
  readonly view: string;
  readonly link: string;
}

/** @param room what may still be embedded. */
function shownFile({ path }: SavedFile, folder: string, room: { bytes: number }) {
  const name = escaped(basename(path));
  const href = relative(folder, path).split(sep).map(encodeURIComponent).join('/');
  const link = `<a href="${href}" title="${name}"><bdi>${name}</bdi></a>`;
  const sign = (words: string) => `<div class="file">${words}</div>`;
  return withFiles([path], async ([file]): Promise<ShownFile> => {
    const head = file && (await exactly(file, 0, kindBytes));
    const mediaType = (head && fileKindOf(head)?.mediaType) ?? '';
    const [kind = ''] = mediaType.split('/', 1);
    const view = views[kind];
    if (!file || !view) return { kind: 'other', view: sign(escaped(extname(path))), link };
    if (file.length > room.bytes) return { kind, view: view(href), link };
    room.bytes -= file.length;
    const bytes = await exactly(file, 0, file.length);
    return { kind, view: view(`data:${mediaType};base64,${bytes.toString('base64')}`), link };
  }).catch(() => ({ view: sign('not found'), link: `<bdi>${name} (not found)</bdi>` }));
}

/** Untrusted text in an element or in a quoted attribute. */
function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
