import { command, firstOnes, group, flag, integer, output, text, under } from '../../command.js';
import { extendTiers } from '../../contract/enums.js';
import * as limits from '../../contract/limits.js';
import { durationText } from '../../lib/duration.js';
import { defaultWaitMs, newRun, priceNote, resultOptions } from '../../jobs/options.js';

/** How a job is named, wherever one is. */
const one = { name: 'id', completes: 'job', required: true } as const;
const many = { name: 'id', completes: 'job', many: true } as const;
const oneId = { ...one, summary: 'the job id, its first characters, or @last' };
const manyIds = { ...many, summary: 'job ids, their first characters, or @last' };

export const list = command('list', 'list media jobs', {
  columns: ['job', 'model', 'state', 'price', 'created', 'files', 'expires', 'prompt'],
  description:
    'List the media jobs created by svc on this computer, newest first. The state of unfinished jobs is updated. A request that was interrupted before its job id was known is sent again with the same key, so no job is created twice.',
  options: {
    all: flag('include old and refused jobs, and those of other accounts'),
    ...firstOnes,
  },
  examples: [
    'svc jobs list # jobs in progress, and those of the last week',
    "svc jobs list --json | jq -r '.[].id' # the ids",
  ],
  endpoints: ['media.job', 'media.generate'],
});

export const show = command('show', 'show one media job', {
  columns: ['name', 'value'],
  args: [oneId],
  examples: [
    'svc jobs show job_0123456789 # state, price, results',
    'svc jobs show @last # the newest job',
  ],
  endpoints: ['media.job'],
});

export const wait = command('wait', 'wait for media jobs and download their results', {
  columns: ['job', 'state', 'price'],
  description: `Wait for media jobs to end. The results of a command that was interrupted while it waited go where it would have saved them: to its -o, or else to the current folder. With -o, all results go there. Without it, the results of jobs that were started with --no-wait, or on another computer, are left for \`svc jobs download\`. The exit code is 0 if all jobs succeeded, 9 if the only one failed, 12 if some of several failed or a result could not be downloaded, 8 at the time limit (--timeout, ${durationText(defaultWaitMs)}).\n--exec runs a command for each job that has ended, failed ones included, once the wait is over and the results are saved. In the command, {job}, {state} and {file} (the first result, or nothing) are replaced by one word each, already quoted. Its output goes to stderr. If it fails, the exit code is 12.`,
  args: [manyIds],
  options: {
    all: flag('wait for all jobs in progress'),
    download: flag('leave the results for `svc jobs download`', { negated: true }),
    ...output('FILE|DIR/', 'where to save the results; accepts {model}, {job}, {index}, {ext}'),
    exec: text('CMD', 'run CMD with /bin/sh for each job that has ended', { completes: [] }),
    notify: flag('notify the terminal at the end, with OSC 9 and the bell'),
  },
  examples: [
    'svc jobs wait --all -o results/ # collect everything',
    "svc jobs wait @last --notify --exec 'cp {file} ~/Pictures/' # then copy the result",
  ],
  endpoints: ['media.job', 'media.generate', 'media.file'],
  conflicts: [['--no-download', '--output']],
});

export const resume = command('resume', 'send an interrupted request again, with its key', {
  description:
    'Send a request again, with its key, if it was interrupted before its job id was known. The service answers with the job it already has, or starts it. `svc jobs list` does this automatically for a day; after that it shows the key to use here.',
  args: [{ name: 'id', summary: 'the key of the request', required: true }],
  examples: [
    'svc jobs resume 0f8fad5b-d9cb-469f-a165-70867728950e && svc jobs wait --all # a job of an earlier day',
  ],
  endpoints: ['media.generate'],
});

export const download = command('download', 'download the results of media jobs', {
  description: `Download the results of media jobs. Complete files that exist already are not downloaded again. Without -o, results go where the -o of the command that created the job says, or else to the current folder. The service keeps results for ${String(limits.media.resultRetentionDays)} days.`,
  args: [manyIds],
  options: {
    all: flag('download all results that have not been downloaded'),
    output: resultOptions.output,
    force: resultOptions.force,
    preview: resultOptions.preview,
  },
  examples: ['svc jobs download --all -o results/ # into a folder'],
  endpoints: ['media.job', 'media.file'],
  conflicts: [
    ['-o -', '--json', '--preview', '--force'],
    ['--preview', '--json'],
  ],
});

export const extend = command('extend', 'extend a finished video as a new job', {
  description: `Extend a finished video. svc shows the price first. Repeating the command resumes a run that did not end.\n${priceNote}`,
  args: [oneId, { name: 'prompt', summary: 'how the video continues', many: true }],
  options: {
    tier: text('TIER', 'the quality level', { choices: extendTiers }),
    seeds: integer('N', 'the random seed'),
    watermark: text('TEXT', 'a watermark to add'),
    ...under('Money', { quote: flag('show the price and create nothing') }),
    new: newRun,
    ...resultOptions,
  },
  examples: [
    'svc jobs extend job_0123456789 "it begins to rain" --tier fast --quote # what it would cost',
    'svc jobs extend job_0123456789 "it begins to rain" --tier fast -o longer.mp4 # as a new video',
  ],
  endpoints: ['media.extend', 'media.extendPrice', 'media.job', 'media.file'],
  conflicts: [
    ['-o -', '--json', '--preview'],
    ['--preview', '--json'],
  ],
});

export const gallery = command('gallery', 'collect saved results in one HTML page', {
  description:
    'Collect the saved results of media jobs and of `svc speak` in one HTML page, newest first, with prompts, models and prices, to search, filter and play. Images, audio and video are embedded, up to 30 MB in all; the page links to all other files. Without -o it is gallery.html in the current folder, where it replaces an earlier page of svc, and nothing else. Neither the command nor the page needs a network.',
  options: {
    ...output('FILE|DIR/|-', 'where to write the page (default: gallery.html); - is stdout'),
    open: flag('open the page in the system viewer'),
    limit: integer('N', 'include only the N newest jobs', { min: 1 }),
  },
  examples: ['svc jobs gallery --open # look at the newest page'],
  conflicts: [['-o -', '--json', '--open', '--force']],
});

export const jobs = group('Media', 'jobs', 'media jobs: list, wait for, and download them', [
  list,
  show,
  wait,
  resume,
  download,
  extend,
  gallery,
]);
