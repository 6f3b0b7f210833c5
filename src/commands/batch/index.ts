import { command, flag, group, integer, number, output, text, under } from '../../command.js';
import { cacheOption } from '../../jobs/options.js';

export const engines = ['kubernetes', 'slurm', 'parallel', 'github-actions'] as const;

/** What turns short lines, texts and rows into requests. */
const template = {
  model: text.model('the model for lines that name none'),
  system: text('TEXT', 'the system prompt for short lines', { short: 's' }),
  prompt: text('TEXT', 'the prompt; {name} is a column or field of the line', { short: 'p' }),
  schema: text('FILE|TEXT', 'answer in JSON of this schema'),
  maxTokens: integer('N', 'the maximum number of tokens in an answer, for lines that set none', {
    min: 1,
  }),
};

const input = {
  name: 'input',
  summary: 'the file with the requests; - is stdin',
  required: true,
  completes: 'file',
} as const;

export const run = command('run', 'send the requests of a file, and continue where it stopped', {
  description:
    'Send each line of a file as one request, and write one line for each answer. The same command again sends only what is missing; nothing is paid twice. --max-cost is the most that all lines together may cost, over all runs into one file of -o.\nA line is a request in the batch format {custom_id, method, url, body}, a short line {custom_id, prompt}, or plain text; a .csv file needs -p. All lines are checked before the first is sent.',
  args: [input],
  options: {
    output: text('FILE|-', 'where the answers go, one line each', { short: 'o' }),
    ...template,
    estimate: flag('print count, tokens and price, and what would be refused; send nothing'),
    ...under('Results', {
      errors: text('FILE', 'a file for the requests that failed for good; it can be run again'),
      text: flag(
        'print each question with its answer as text: the default on a terminal without -o',
      ),
      ordered: flag('write the answers in the order of the input'),
      files: text('DIR', 'where audio and media files go', { completes: 'directory' }),
    }),
    ...under('Limits', {
      concurrency: integer('N', 'the maximum number of requests in flight', { min: 1, max: 4096 }),
      rpm: number('N', 'the maximum number of requests a minute', { min: 1 }),
      tpm: number('N', 'the maximum number of tokens a minute', { min: 1 }),
      shorten: flag('lower --max-tokens of a line to what --max-cost and the budget allow', {
        also: '--fit',
      }),
    }),
    ...cacheOption,
    ...under('Resuming', {
      unknown: text(
        'WHAT',
        'what to do with requests that may have been charged without an answer',
        {
          choices: ['skip', 'retry', 'ask'],
          default: 'skip',
        },
      ),
      shard: text('I/N', 'only the lines of this shard; auto reads it from the environment'),
      progress: text('FORM', 'how progress is shown', { choices: ['text', 'json', 'none'] }),
    }),
  },
  examples: [
    'svc batch run requests.jsonl -o answers.jsonl # again: only what is missing',
    'svc batch run words.csv -m vendor/model -p "Translate {word}" -o answers.jsonl # a row each',
    'cat questions.txt | svc batch run -m vendor/model - --text # answers as text',
  ],
  conflicts: [['--text', '--json']],
  endpoints: [
    'chat.create',
    'chat.messages',
    'chat.responses',
    'chat.countTokens',
    'embeddings.create',
    'decisions.create',
    'search.region',
    'search.web',
    'audio.speech',
    'images.create',
    'media.generate',
    'media.job',
    'media.file',
    'media.price',
    'media.publicPrice',
    'models.pricing',
    'billing.history',
  ],
});

export const make = command('make', 'turn rows, texts or short lines into requests', {
  description:
    'Write the requests that `svc batch run` would send, in the batch format. Nothing is sent.',
  args: [input],
  options: {
    ...output('FILE|-', 'write to a new file; - is stdout'),
    ...template,
  },
  examples: [
    'svc batch make words.csv -m vendor/model -p "Translate {word}" -o requests.jsonl # a row each',
  ],
});

const outputs = {
  name: 'output',
  summary: 'files that `svc batch run` has written',
  many: true,
  required: true,
  completes: 'file',
} as const;

export const status = command('status', 'count what is done, failed, unknown and missing', {
  columns: ['file', 'done', 'failed', 'unknown', 'missing'],
  description:
    'Count the requests of each file. Unknown requests were sent and may have been charged, without an answer. How many are missing is known from the journal in the folder OUT.svc.',
  args: [outputs],
  examples: ['svc batch status answers-*.jsonl # how far the shards are'],
});

export const report = command('report', 'sum up cost, tokens, latency and errors', {
  description:
    'Sum up all files: requests, cost, answers without a known price, tokens, attempts, the time within which 50, 95 and 99 % of the answers came, and the failures in OUT by their code, each with a custom_id.',
  args: [outputs],
  examples: ['svc batch report answers.jsonl --json | jq .cost.priceRub # what it has cost'],
});

export const merge = command('merge', 'join the answers of several files, each request once', {
  description:
    'Write the line of each request once: the first answer, or the first failure where there is no answer. Without -o, to stdout.',
  args: [outputs],
  options: {
    ...output('FILE', 'where the answers go, completely or not at all'),
    order: text('FILE', 'the input whose order they get; exit 12 where answers are missing'),
  },
  examples: ['svc batch merge answers-*.jsonl --order requests.jsonl -o all.jsonl # of shards'],
});

const { concurrency, errors, files, shorten, unknown } = run.options;

export const plan = command('plan', 'print a script that splits a batch across machines', {
  description:
    'Print a manifest or script that runs `svc batch run` in shards: a Kubernetes Job, a Slurm array, a GNU parallel command or a GitHub Actions workflow. Nothing is sent, and it does not contain the key. Each shard has a file of its own, such as answers-1-of-16.jsonl; on Kubernetes they are numbered from 0. --max-cost is divided among the shards.',
  args: [
    { name: 'input', summary: 'the file with the requests', required: true, completes: 'file' },
  ],
  options: {
    engine: text('ENGINE', 'what runs the shards', { choices: engines }),
    // More jobs than this are too many for a matrix of GitHub Actions.
    count: integer('N', 'the number of shards', { short: 'n', min: 1, max: 256 }),
    output: text('FILE', 'where the answers go', { short: 'o', default: 'answers.jsonl' }),
    ...{ concurrency, shorten, errors, files, unknown, ...template },
    image: text('IMAGE', 'the container image of the Job'),
  },
  examples: [
    'svc batch plan --engine kubernetes -n 16 --image registry.example/svc-cli requests.jsonl > job.yaml # for kubectl apply',
    'svc batch plan --engine slurm -n 100 --max-cost 5000 requests.jsonl > plan.sh # 50 RUB for each shard',
    'svc batch plan --engine parallel -n 4 requests.jsonl > plan.sh # then: bash plan.sh',
  ],
});

export const batch = group('Tools', 'batch', 'send many requests from a file', [
  run,
  make,
  status,
  report,
  merge,
  plan,
]);
