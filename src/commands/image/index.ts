import { command, flag, group, integer, text } from '../../command.js';
import { imageFormats } from '../../contract/enums.js';
import * as limits from '../../contract/limits.js';
import { newRun, savedOptions } from '../../jobs/options.js';

export const create = command('create', 'generate an image and wait for it', {
  description: `Generate one image in one call. With sources, with other options of the model, or to come back for it later, use \`svc generate\`. If the answer does not arrive, svc follows the job that the service names, and never pays for the image again unless told to.\nThe price goes to stderr.`,
  args: [{ name: 'prompt', summary: 'what to generate', many: true }],
  options: {
    model: text.model('the image model (see `svc models list --type image`)'),
    size: text('WxH', 'such as 1024x1024 or 1792x1024, or auto; only the ratio matters'),
    quality: text('WORD', 'a quality that the model offers, or auto'),
    count: integer('N', `how many; the service makes ${String(limits.images.count)} at a time`, {
      short: 'n',
      min: limits.images.count,
      max: limits.images.count,
    }),
    user: text('TEXT', 'an end-user id; the service ignores it'),
    responseFormat: text('FORMAT', 'how the image is returned', {
      choices: imageFormats,
      default: imageFormats[0],
    }),
    ...savedOptions,
    quote: flag('show the price and create nothing', { heading: 'Money' }),
    new: newRun,
  },
  examples: [
    'svc --local image create "a lighthouse" -o lighthouse.png # offline, no account',
    'svc image create -m vendor/canvas "a storm" --size 1792x1024 # wide',
    'svc image create -m vendor/canvas "a storm" --quote # what it would cost',
  ],
  endpoints: [
    'images.create',
    'images.list',
    'media.price',
    'media.publicPrice',
    'media.job',
    'media.file',
  ],
  conflicts: [
    ['--quote', '--output', '--open', '--preview'],
    ['-o -', '--json', '--open', '--preview', '--force'],
    ['--preview', '--json'],
  ],
});

export const list = command('list', "list the key's image jobs, newest first", {
  columns: ['job', 'model', 'state', 'price', 'created'],
  description:
    'List the image jobs that the service has for your key, newest first. Use it to find an image whose answer was lost.',
  options: {
    limit: integer('N', 'the number of jobs', {
      min: limits.images.list.min,
      max: limits.images.list.max,
      default: String(limits.images.list.default),
    }),
  },
  examples: ['svc image list --limit 5 # the last five'],
  endpoints: ['images.list'],
});

export const image = group('Media', 'image', 'generate one image, the quick way', [create, list]);
