import { randomUUID } from 'node:crypto';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
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

export const run: Handler<typeof gallery> = async (context, { options }) => {
  const { out, flags, paths } = context;
  const { output, force = false, limit, open } = options;
  // A page that is only looked at replaces the one before.
  const usual = open ? join(paths.data, 'gallery.html') : 'gallery.html';
  const replace = force || (open === true && output === undefined);
  const place = await targetFrom(output ?? usual, { replace });
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
  const target = place.kind === 'folder' ? { ...place, name: () => 'gallery.html' } : place;
  const part = await PartFile.open(target);
  const path = resolve((await part.fill({}, (take) => take(Buffer.from(page)))).path);
  await (flags.json ? out.json({ files: [{ path }], jobs: jobs.length }) : out.line(path));
  if (open) await openResult(context, path, true);
};

function savedJobs(ledger: Ledger, account: Account): LedgerJob[] {
  const jobs: LedgerJob[] = [];
  for (const page of ledger.pages({ account, endedAfterMs: -Infinity })) {
    jobs.push(...page.filter(({ saved }) => saved.length > 0));
  }
  return jobs.reverse();
}

async function pageOf(jobs: readonly LedgerJob[], folder: string): Promise<string> {
  const room = { bytes: maxEmbeddedBytes };
  const cards: (readonly [kind: string, html: string])[] = [];
  for (const job of jobs) cards.push(await cardOf(job, folder, room));
  const choices = (values: readonly string[]) =>
    Array.from(new Set(values), (value) => `<option>${escaped(value)}</option>`).join('');
  const parts: Record<string, string> = {
    // The policy of the page lets nothing run that does not know it.
    nonce: randomUUID(),
    kinds: choices(cards.map(([kind]) => kind)),
    models: choices(jobs.map(({ model }) => model)),
    cards: cards.map(([, html]) => html).join('\n'),
  };
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => parts[name] ?? '');
}

async function cardOf(job: LedgerJob, folder: string, room: { bytes: number }) {
  const { jobId = '', model, priceRub, prompt = '', results = 0, saved, wantedAtMs } = job;
  const files: Awaited<ReturnType<typeof shownFile>>[] = [];
  for (const file of saved) files.push(await shownFile(file, folder, room));
  const kind = files[0]?.kind ?? 'other';
  const price = priceRub === undefined ? '' : ` · ${formatRub(priceRub)}`;
  const state = saved.length < results ? `${saved.length} of ${results} results saved` : 'done';
  const facts = `${model}${price} · ${localMoment(wantedAtMs)} · ${state}`;
  const html = [
    `<article data-kind="${kind}" data-model="${escaped(model)}" data-rub="${priceRub ?? 0}">`,
    ...files.map(({ view }) => view),
    `<p>${escaped(prompt || job.kind)}<br /><small>${escaped(facts)}<br />`,
    `${escaped(jobId)} ${files.map(({ link }) => link).join(' ')}</small></p></article>`,
  ];
  return [kind, html.join('\n')] as const;
}

const views: Readonly<Record<string, (source: string) => string>> = {
  image: (source) => `<img src="${source}" alt="" loading="lazy" />`,
  audio: (source) => `<audio src="${source}" controls preload="metadata"></audio>`,
  video: (source) => `<video src="${source}" controls preload="metadata"></video>`,
};

/** @param room what may still be embedded. */
function shownFile({ path }: SavedFile, folder: string, room: { bytes: number }) {
  const name = escaped(basename(path));
  const href = relative(folder, path).split(sep).map(encodeURIComponent).join('/');
  return withFiles([path], async ([file]) => {
    const head = file && (await exactly(file, 0, kindBytes));
    const mediaType = (head && fileKindOf(head)?.mediaType) ?? '';
    const [kind = 'other'] = mediaType.split('/', 1).filter(Boolean);
    const view = views[kind];
    let source = href;
    if (file && view && file.length <= room.bytes) {
      room.bytes -= file.length;
      const bytes = await exactly(file, 0, file.length);
      source = `data:${mediaType};base64,${bytes.toString('base64')}`;
    }
    return { kind, view: view?.(source) ?? '', link: `<a href="${href}">${name}</a>` };
  }).catch(() => ({ kind: 'other', view: '', link: `${name} (not found)` }));
}

/** Untrusted text in an element or in a quoted attribute. */
function escaped(text: string): string {
  return text.replace(/[&<"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
