import { command, flag, number, text, under, type Loaded } from '../../cli/declaration.js';
import { sandboxOutcomes } from '../../contract/enums.js';
import * as limits from '../../contract/limits.js';
import { newRun, resultOptions } from '../../jobs/options.js';

export const generate = command('generate', 'make images, video, audio, music or 3D', {
  heading: 'Media',
  description:
    'Make media with a job: its price is asked for first, and is what the job costs at most.\n`svc generate MODEL --help` lists the options of that model. Piped text comes before the prompt.',
  args: [
    {
      name: 'model',
      summary: 'a media model (see `svc models media`), or a kind to use its default model: image',
      required: true,
      completes: 'model',
    },
    { name: 'prompt', summary: 'what to make', many: true },
  ],
  options: {
    ...under('Request', {
      opt: text.several('NAME=VALUE', 'an option of the model; @FILE is the content of a file'),
      opts: text('FILE', 'options of the model, a JSON object; --opt wins over it'),
      input: text.several('[NAME=]FILE|URL|-', 'a source; NAME says which option it fills', {
        completes: 'file',
      }),
      inline: flag('send local sources within the request instead of uploading them'),
      strict: flag('refuse what would not run exactly as written'),
      webhookUrl: text('URL', 'a public https URL that is told when the job ends'),
      idempotencyKey: text('KEY', 'the same key gives the same job, never a second one'),
      sandboxOutcome: text('OUTCOME', 'simulate this, with a sandbox key', {
        choices: sandboxOutcomes,
      }),
      refresh: flag('ask anew what the model takes, instead of once an hour'),
    }),
    ...under('Money', {
      quote: flag('tell the price and make nothing'),
      maxPrice: number('RUB', 'the most that the job may cost; the quoted price unless given', {
        min: limits.media.maxPriceRub.min,
      }),
      quoteId: text(
        'ID',
        'make it at the price of this quote (quoteId of --quote --json), or not at all',
      ),
    }),
    new: newRun,
    ...resultOptions,
  },
  examples: [
    'svc --local generate local/canvas "a lighthouse" -o lighthouse.png # offline, no account',
    'svc generate vendor/video "waves" --opt seconds=5 --quote # what it would cost',
    'svc generate vendor/upscale --input photo.jpg -o large.png --max-price 20 # from a file, for at most 20 RUB',
    'id=$(svc generate vendor/music "rain" --no-wait) # come back later',
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
  conflicts: [
    ['--quote', '--no-wait', '--output', '--open', '--quote-id'],
    ['--no-wait', '--output', '--open'],
    ['--new', '--idempotency-key'],
    ['-o -', '--json', '--open', '--force'],
  ],
  needs: [['--inline', '--input']],
  load: (): Promise<Loaded> => import('./generate.js'),
  loadHelp: (): Promise<Loaded> => import('./model.js'),
});
