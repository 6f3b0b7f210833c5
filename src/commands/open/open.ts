import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Context, Handler } from '../../context.js';
import { Incomplete, LocalFileError } from '../../errors.js';
import { isStillWhole } from '../../files/saved-file.js';
import { namedJob, openJobs } from '../../jobs/job.js';
import { openResult, showFile } from '../../jobs/show-file.js';
import { shellWord } from '../../lib/names.js';
import { isUnderWay } from '../../state/ledger-job.js';
import { root } from '../update/installation.js';
import type { open } from './index.js';

export const run: Handler<typeof open> = async (context, { args: { what }, options }) => {
  const { out, flags } = context;
  const file = what === 'docs' ? manual : resolve(what);
  const isFile = (await stat(file).catch(() => undefined))?.isFile() === true;
  const path = isFile ? file : await resultOf(context, what);
  if (flags.json) return out.json({ path });
  if (options.preview) return showFile(context, path, true);
  await out.line(path);
  if (out.isTerminal) await openResult(context, path, isFile);
};

const manual = join(root, 'docs/manual/1-start.md');

async function resultOf(context: Context, id: string): Promise<string> {
  if (/[\\/]|\.\w+$/.test(id)) {
    throw new LocalFileError(`there is no file ${id}`, { code: 'file_missing' });
  }
  const env = await openJobs(context);
  const job = namedJob(env, id);
  const saved = env.ledger.copies({ ...job, account: env.account });
  for (const file of saved.sort((one, other) => one.index - other.index)) {
    if (await isStillWhole(file)) return file.path;
  }
  const { jobId, ledger } = job;
  const verb = ledger && isUnderWay(ledger) ? 'wait' : 'download';
  const hint = `run \`svc jobs ${verb} ${shellWord(jobId)}\``;
  const message = `${ledger ? '' : `there is no file ${id}; `}no result of ${jobId} is saved here`;
  throw new Incomplete(message, { code: 'not_downloaded', hint });
}
