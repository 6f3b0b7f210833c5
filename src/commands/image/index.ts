import { command, flag, group, integer, type Loaded, output, text } from '../../cli/declaration.js';
import { imageFormats } from '../../contract/enums.js';
import * as limits from '../../contract/limits.js';
import { newRun } from '../../jobs/options.js';

export const create = command('create', 'make an image and wait for it', {
  description:
    'Make an image in one call. When its answer does not come, svc goes on with the job if the service names it, and never pays for the image again unasked.',
  args: [{ name: 'prompt', summary: 'what to make', many: true }],
  options: {
    model: text.model('the image model (see `svc models list --type image`)'),
    size: text('WxH', 'such as 1024x1024 or 1792x1024, or auto; its ratio counts'),
    quality: text('WORD', 'what the model offers, or auto'),
    count: integer('N', `how many: the service makes ${String(limits.images.count)} at a time`, {
      short: 'n',
      min: limits.images.count,
      max: limits.images.count,
    }),
    user: text('TEXT', 'whom it is for; the service ignores it'),
    responseFormat: text('FORMAT', 'how the image travels', {
      choices: imageFormats,
      default: imageFormats[0],
    }),
    ...output(
      'FILE|DIR/|-',
      'where the image goes; may hold {model}, {job}, {index}, {ext}; - is stdout',
    ),
    new: newRun,
    open: flag("show the image with the system's viewer"),
  },
  examples: [
    'svc --local image create "a lighthouse" -o lighthouse.png # offline, no account',
    'svc image create -m vendor/canvas "a storm" --size 1792x1024 # wide',
  ],
  endpoints: ['images.create', 'images.list', 'media.job', 'media.file'],
  conflicts: [['-o -', '--json', '--open', '--force']],
  load: (): Promise<Loaded> => import('./create.js'),
});

export const list = command('list', "list the key's image jobs, newest first", {
  description:
    'List the image jobs of your key as the service knows them, newest first: where to look for an image whose answer got lost.',
  options: {
    limit: integer('N', 'how many', {
      min: limits.images.list.min,
      max: limits.images.list.max,
      default: String(limits.images.list.default),
    }),
  },
  examples: ['svc image list --limit 5 # the last five'],
  endpoints: ['images.list'],
  load: (): Promise<Loaded> => import('./list.js'),
});

export const image = group('Media', 'image', 'images that are made while you wait', [create, list]);
