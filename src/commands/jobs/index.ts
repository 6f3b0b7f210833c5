import {
  command,
  group,
  flag,
  integer,
  number,
  text,
  under,
  type Loaded,
} from '../../cli/declaration.js';
import { extendTiers } from '../../contract/enums.js';
import * as limits from '../../contract/limits.js';
import { durationText } from '../../lib/duration.js';
import { newRun, resultOptions, defaultWaitMs } from '../../jobs/options.js';

export const list = command('list', 'list media jobs', {
  description:
    'List the media jobs that were made from here. What is unfinished is asked for anew, and what was cut off before its id was known is finished with the same key: no job is made twice.',
  options: {
    all: flag('also old and refused ones, and those of other accounts'),
  },
  examples: [
    'svc jobs list # what is under way, and what the last week brought',
    "svc jobs list --json | jq -r '.[].job' # the ids",
  ],
  endpoints: ['media.job', 'media.generate'],
  load: (): Promise<Loaded> => import('./list.js'),
});

export const show = command('show', 'show one media job', {
  args: [{ name: 'id', summary: 'the id of the job', required: true }],
  examples: ['svc jobs show job_0123456789 # state, price, results'],
  endpoints: ['media.job'],
  load: (): Promise<Loaded> => import('./show.js'),
});

export const wait = command('wait', 'wait until media jobs have ended', {
  description: `Wait until media jobs have ended. The exit code is 0 when all of them succeeded, 9 when the only one failed, 12 when some of several did, 8 when the time is over (--timeout, ${durationText(defaultWaitMs)}).`,
  args: [{ name: 'id', summary: 'the ids of the jobs', many: true }],
  options: { all: flag('wait for all that are under way') },
  examples: ['svc jobs wait --all && svc jobs download --all # collect everything'],
  endpoints: ['media.job', 'media.generate'],
  load: (): Promise<Loaded> => import('./wait.js'),
});

export const resume = command('resume', 'send a job that was cut off again, with its key', {
  description:
    'Send a job that was cut off before its id was known again, with its key, however old: the service answers with the job that it has, or begins it. `svc jobs list` shows the key where there is no id, and does the same by itself for a day.',
  args: [{ name: 'id', summary: 'the key of the job', required: true }],
  examples: [
    'svc jobs resume 0f8fad5b-d9cb-469f-a165-70867728950e && svc jobs wait --all # a job of another day',
  ],
  endpoints: ['media.generate'],
  load: (): Promise<Loaded> => import('./resume.js'),
});

export const download = command('download', 'fetch the results of media jobs', {
  description: `Fetch the results of media jobs. What is there already, whole, is not fetched again. Results are kept for ${String(limits.media.resultRetentionDays)} days.`,
  args: [{ name: 'id', summary: 'the ids of the jobs', many: true }],
  options: {
    all: flag('fetch all that has not been fetched yet'),
    output: resultOptions.output,
    force: resultOptions.force,
  },
  examples: ['svc jobs download --all -o results/ # into a folder'],
  endpoints: ['media.job', 'media.file'],
  conflicts: [['-o -', '--json', '--force']],
  load: (): Promise<Loaded> => import('./download.js'),
});

export const extend = command('extend', 'extend a finished video as a new job', {
  description:
    'Extend a finished video. The price is told first. The same command typed again goes on with a run that did not end.',
  args: [
    { name: 'id', summary: 'the id of the video job', required: true },
    { name: 'prompt', summary: 'how it goes on', many: true },
  ],
  options: {
    tier: text('TIER', 'how well it is made', { choices: extendTiers }),
    seeds: integer('N', 'where chance begins'),
    watermark: text('TEXT', 'a text to put on it'),
    ...under('Money', {
      quote: flag('tell the price and make nothing'),
      maxPrice: number('RUB', 'the most that it may cost', { min: limits.media.maxPriceRub.min }),
    }),
    new: newRun,
    ...resultOptions,
  },
  examples: [
    'svc jobs extend job_0123456789 "it begins to rain" --tier fast --quote # what it would cost',
    'svc jobs extend job_0123456789 "it begins to rain" --tier fast -o longer.mp4 # as a new video',
  ],
  endpoints: ['media.extend', 'media.extendPrice', 'media.job', 'media.file'],
  conflicts: [['-o -', '--json']],
  load: (): Promise<Loaded> => import('./extend.js'),
});

export const jobs = group(
  'Media',
  'jobs',
  'media jobs: what was made, what is under way, what has to be fetched',
  [list, show, wait, resume, download, extend],
);
