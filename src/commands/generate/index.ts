import { command, type Loaded } from '../../cli/declaration.js';
import { sandboxOutcomes } from '../../contract/enums.js';
import * as limits from '../../contract/limits.js';
import { newRun, resultOptions } from '../../jobs/options.js';

export const generate = {
  ...command({
    name: 'generate',
    summary: 'make images, video, audio, music or 3D',
    description:
      'Make media with a job: its price is asked for first, and is what the job costs at most.\n`svc generate MODEL --help` lists the options of that model. Piped text comes before the prompt.',
    args: [
      {
        name: 'model',
        summary: 'the media model (see `svc models list --all`)',
        required: true,
        completes: 'model',
      },
      { name: 'prompt', summary: 'what to make', many: true },
    ],
    options: {
      opt: {
        type: 'text',
        value: 'NAME=VALUE',
        summary: 'an option of the model; @FILE is the content of a file; may be repeated',
        many: true,
        heading: 'Request',
      },
      opts: {
        type: 'text',
        value: 'FILE',
        summary: 'options of the model, a JSON object; --opt wins over it',
        completes: 'file',
        heading: 'Request',
      },
      input: {
        type: 'text',
        value: '[NAME=]FILE|URL|-',
        summary: 'a source; NAME says which option it fills; may be repeated',
        many: true,
        completes: 'file',
        heading: 'Request',
      },
      inline: {
        type: 'switch',
        summary: 'send local sources within the request instead of uploading them',
        heading: 'Request',
      },
      strict: {
        type: 'switch',
        summary: 'refuse what would not run exactly as written',
        heading: 'Request',
      },
      webhookUrl: {
        type: 'text',
        value: 'URL',
        summary: 'a public https URL that is told when the job ends',
        heading: 'Request',
      },
      idempotencyKey: {
        type: 'text',
        value: 'KEY',
        summary: 'the same key gives the same job, never a second one',
        heading: 'Request',
      },
      sandboxOutcome: {
        type: 'text',
        value: 'OUTCOME',
        summary: 'simulate this, with a sandbox key',
        choices: sandboxOutcomes,
        heading: 'Request',
      },
      refresh: {
        type: 'switch',
        summary: 'ask anew what the model takes, instead of once an hour',
        heading: 'Request',
      },
      quote: { type: 'switch', summary: 'tell the price and make nothing', heading: 'Money' },
      maxPrice: {
        type: 'number',
        value: 'RUB',
        summary: 'the most that the job may cost; the quoted price unless given',
        min: limits.media.maxPriceRub.min,
        heading: 'Money',
      },
      quoteId: {
        type: 'text',
        value: 'ID',
        summary: 'make it at the price of this quote (quoteId of --quote --json), or not at all',
        heading: 'Money',
      },
      new: newRun,
      ...resultOptions,
    },
    examples: [
      {
        command: 'svc --local generate local/canvas "a lighthouse" -o lighthouse.png',
        note: 'offline, no account',
      },
      {
        command: 'svc generate vendor/video "waves" --opt seconds=5 --quote',
        note: 'what it would cost',
      },
      {
        command: 'svc generate vendor/upscale --input photo.jpg -o large.png --max-price 20',
        note: 'from a file, for at most 20 RUB',
      },
      { command: 'id=$(svc generate vendor/music "rain" --no-wait)', note: 'come back later' },
    ],
    endpoints: [
      'media.generate',
      'media.price',
      'media.publicPrice',
      'media.job',
      'media.file',
      'models.capabilities',
      'files.upload',
    ],
    load: (): Promise<Loaded> => import('./generate.js'),
    loadHelp: (): Promise<Loaded> => import('./model.js'),
  }),
  heading: 'Media',
} as const;
