import { command, flag, text, under } from '../../command.js';
import { sandboxOutcomes } from '../../contract/enums.js';
import { newRun, resultOptions } from '../../jobs/options.js';

export const generate = command('generate', 'generate images, video, audio, music or 3D models', {
  heading: 'Media',
  description: `Generate media with a job. svc gets a quote first, and the job costs at most that much, or at most --max-cost if you give it. For one image without options, \`svc image create\` is the quick way.\n\`svc generate MODEL --help\` lists the options of that model. Piped text is the prompt; beside a prompt, stdin is read only if you add \`-\`, and comes first.\nThe price goes to stderr.`,
  args: [
    {
      name: 'model',
      summary:
        'a media model (see `svc models list --all`), or a kind to use its default model: image',
      required: true,
      completes: 'media',
    },
    { name: 'prompt', summary: 'what to generate', many: true },
  ],
  options: {
    model: text('ID', 'the model, in place of the first word', {
      short: 'm',
      completes: 'media',
    }),
    opt: text.several('NAME=VALUE', 'an option of the model; @FILE reads the value from a file', {
      completes: 'option',
    }),
    input: text.several('[NAME=]FILE|URL|-', 'a source file; NAME is the option it fills', {
      completes: 'file',
    }),
    quote: flag('show the price and create nothing'),
    ...resultOptions,
    ...under('Request', {
      opts: text('FILE', 'options of the model as a JSON object; --opt overrides them'),
      inline: flag('send local files within the request instead of uploading them'),
      strict: flag('refuse a request that would not run exactly as written'),
      webhookUrl: text('URL', 'a public https URL to notify when the job ends'),
      idempotencyKey: text('KEY', 'the same key always returns the same job'),
      sandboxOutcome: text('OUTCOME', 'simulate this outcome; needs a sandbox key', {
        choices: sandboxOutcomes,
      }),
      refresh: flag("ask for the model's options again, instead of once an hour"),
    }),
    ...under('Money', {
      new: newRun,
      quoteId: text('ID', 'use only the price of this quote (quoteId of --quote --json)'),
    }),
  },
  examples: [
    'svc --local generate local/canvas "a lighthouse" -o lighthouse.png # offline, no account',
    'svc generate vendor/video "waves" --opt seconds=5 --quote # what it would cost',
    'svc generate vendor/upscale --input photo.jpg -o large.png --max-cost 20 # from a file, for at most 20 RUB',
    'id=$(svc generate vendor/music "rain" --no-wait) # download it later',
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
    ['--quote', '--no-wait', '--output', '--open', '--preview', '--quote-id'],
    ['--no-wait', '--output', '--open', '--preview'],
    ['--new', '--idempotency-key'],
    ['-o -', '--json', '--open', '--preview', '--force'],
    ['--preview', '--json'],
  ],
  needs: [['--inline', '--input']],
  explainsOperand: true,
});
