import { command, type Loaded } from '../../cli/declaration.js';
import { imageFormats } from '../../contract/enums.js';
import * as limits from '../../contract/limits.js';
import { newRun } from '../../jobs/options.js';

export const create = command({
  name: 'create',
  summary: 'make an image and wait for it',
  description:
    'Make an image in one call. When its answer does not come, svc goes on with the job if the service names it, and never pays for the image again unasked.',
  args: [{ name: 'prompt', summary: 'what to make', many: true }],
  options: {
    model: {
      type: 'text',
      short: 'm',
      value: 'ID',
      summary: 'the image model (see `svc models list --type image`)',
      completes: 'model',
    },
    size: {
      type: 'text',
      value: 'WxH',
      summary: 'such as 1024x1024 or 1792x1024, or auto; its ratio counts',
    },
    quality: { type: 'text', value: 'WORD', summary: 'what the model offers, or auto' },
    count: {
      type: 'integer',
      short: 'n',
      value: 'N',
      summary: `how many: the service makes ${String(limits.images.count)} at a time`,
      min: limits.images.count,
      max: limits.images.count,
    },
    user: { type: 'text', value: 'TEXT', summary: 'whom it is for; the service ignores it' },
    responseFormat: {
      type: 'text',
      value: 'FORMAT',
      summary: 'how the image travels',
      choices: imageFormats,
      default: imageFormats[0],
    },
    output: {
      type: 'text',
      short: 'o',
      value: 'FILE|DIR/|-',
      summary: 'where the image goes; may hold {model}, {job}, {index}, {ext}; - is stdout',
      completes: 'file',
    },
    force: { type: 'switch', summary: 'replace the file of -o' },
    new: newRun,
    open: { type: 'switch', summary: "show the image with the system's viewer" },
  },
  examples: [
    {
      command: 'svc --local image create "a lighthouse" -o lighthouse.png',
      note: 'offline, no account',
    },
    { command: 'svc image create -m vendor/canvas "a storm" --size 1792x1024', note: 'wide' },
  ],
  endpoints: ['images.create', 'images.list', 'media.job', 'media.file'],
  load: (): Promise<Loaded> => import('./create.js'),
});

export const list = command({
  name: 'list',
  summary: "list the key's image jobs, newest first",
  description:
    'List the image jobs of your key as the service knows them, newest first: where to look for an image whose answer got lost.',
  options: {
    limit: {
      type: 'integer',
      value: 'N',
      summary: 'how many',
      min: limits.images.list.min,
      max: limits.images.list.max,
      default: String(limits.images.list.default),
    },
  },
  examples: [{ command: 'svc image list --limit 5', note: 'the last five' }],
  endpoints: ['images.list'],
  load: (): Promise<Loaded> => import('./list.js'),
});

export const image = {
  name: 'image',
  heading: 'Media',
  summary: 'images that are made while you wait',
  commands: [create, list],
} as const;
