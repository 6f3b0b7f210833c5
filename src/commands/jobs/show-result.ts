/** The end of a job that went well, for a person, a pipe or a program. */
import { readFile } from 'node:fs/promises';
import { warnIfLow } from '../low-balance.js';
import { fileKindOf, mediaTypeOfExtension } from '../../lib/file-kind.js';
import { splitExtension } from '../../lib/file-name.js';
import { formatElapsed } from '../../lib/duration.js';
import { plainText } from '../../lib/plain-text.js';
import { formatRub } from '../../lib/amounts.js';
import { inlineImage, maxInlineBytes, showInViewer } from '../../terminal/viewer.js';
import { jobJson, metaLines, type JobFacts } from './report.js';
import type { Collected } from './collect.js';
import type { JobWorld } from './world.js';

export interface Ended extends JobFacts {
  /** How long the person waited. */
  readonly tookMs: number;
}

export interface Showing {
  /** Show the first file with the system's viewer. */
  readonly open: boolean;
  /** stdout holds the result's own bytes, and nothing else may go there. */
  readonly toStdout: boolean;
}

/** Text first, then pictures where the terminal can, then the paths: the last line is a path. */
export async function showCollected(
  world: JobWorld,
  ended: Ended,
  { open, toStdout }: Showing,
): Promise<void> {
  const { out, flags } = world.context;
  const { files = [], status } = ended;
  if (flags.json) {
    await out.json(jobJson(ended));
  } else {
    const text = status?.reply.resultText ?? '';
    if (toStdout) {
      if (text !== '') out.note(text);
    } else {
      if (text !== '') await out.text(text.endsWith('\n') ? text : `${text}\n`);
      await showFiles(world, files);
    }
    if (text === '' && files.length === 0) {
      out.warn(`${plainText(ended.jobId, 100)} succeeded, but the service named no result`);
    }
    for (const line of metaLines(status?.reply.resultMeta ?? {})) out.note(line);
    if (out.isErrorTerminal) out.dim(lastLine(ended));
    warnIfLow(world.context, ended.cost.balanceRub);
  }
  if (open) await openFirst(world, files);
}

async function showFiles({ context }: JobWorld, files: readonly Collected[]): Promise<void> {
  const { out, env } = context;
  for (const { path, bytes } of files) {
    if (path === undefined) continue;
    if (out.isTerminal && bytes <= maxInlineBytes) {
      const content = await readFile(path).catch(() => undefined);
      const mediaType = content && fileKindOf(content)?.mediaType;
      const image = content && mediaType && inlineImage(env, content, mediaType);
      if (image) await out.bytes(image);
    }
    await out.line(path);
  }
}

async function openFirst({ context }: JobWorld, files: readonly Collected[]): Promise<void> {
  const path = files.find((file) => file.path !== undefined)?.path;
  if (path === undefined) return;
  // A viewer goes by the name, and some names are run: where the content is not known, the
  // service chose its ending.
  if (!isMedia(path)) {
    context.out.warn(`${path} is no picture, sound, video or 3D model; it was not opened`);
    return;
  }
  const failure = await showInViewer(path, context.env);
  if (failure !== undefined) context.out.warn(failure);
}

function isMedia(path: string): boolean {
  const extension = splitExtension(path)[1].slice(1);
  return /^(?:image|audio|video|model)\//.test(mediaTypeOfExtension(extension) ?? '');
}

/** `12.50 RUB · 34 s · balance 987.50 RUB` */
function lastLine({ cost, tookMs }: Ended): string {
  return [
    ...(cost.priceRub === undefined ? [] : [formatRub(cost.priceRub)]),
    formatElapsed(tookMs),
    ...(cost.balanceRub === undefined ? [] : [`balance ${formatRub(cost.balanceRub)}`]),
  ].join(' · ');
}
