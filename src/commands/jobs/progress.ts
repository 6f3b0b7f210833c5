/** How far several downloads have come, as one line. */
import type { Progress } from '../../api/media/fetch-result.js';
import type { Context } from '../../cli/context.js';
import { formatBytes } from '../../lib/amounts.js';

export interface DownloadProgress {
  /** What to tell of the progress of one of them. */
  onProgress(index: number): (progress: Progress) => void;
  stop(): void;
}

const barWidth = 20;

/** @param count how many downloads there will be. */
export async function openProgress(
  { out, flags }: Context,
  count: number,
): Promise<DownloadProgress> {
  if (count === 0 || flags.json) return silent;
  const spinner = await out.spinner(progressLine([], count));
  const all: (Progress | undefined)[] = [];
  return {
    onProgress: (index) => (progress) => {
      all[index] = progress;
      spinner.update(progressLine(all, count));
    },
    stop: () => {
      spinner.stop();
    },
  };
}

const silent: DownloadProgress = { onProgress: () => () => undefined, stop: () => undefined };

/** `downloading 2 files ██████░░░░ 5.4 of 12.0 MB`; without a bar while a length is not known. */
export function progressLine(
  all: readonly (Progress | undefined)[],
  count: number,
  verb = 'downloading',
): string {
  const known = all.filter((progress) => progress !== undefined);
  const bytes = known.reduce((sum, progress) => sum + progress.bytes, 0);
  const what = count === 1 ? verb : `${verb} ${String(count)} files`;
  const totals = known.map(({ totalBytes }) => totalBytes);
  const total = totals.reduce<number | undefined>(
    (sum, one) => (sum === undefined || one === undefined ? undefined : sum + one),
    0,
  );
  if (known.length < count || total === undefined || total === 0) {
    return bytes === 0 ? what : `${what} ${formatBytes(bytes)}`;
  }
  const filled = Math.floor((barWidth * bytes) / total);
  const bar = '█'.repeat(filled) + '░'.repeat(barWidth - filled);
  return `${what} ${bar} ${formatBytes(bytes)} of ${formatBytes(total)}`;
}
