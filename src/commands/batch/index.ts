import {
  command,
  duration,
  flag,
  group,
  integer,
  number,
  text,
  under,
  type Loaded,
} from '../../cli/declaration.js';

export const unknownChoices = ['skip', 'retry', 'ask'] as const;
export const engines = ['kubernetes', 'slurm', 'parallel', 'github-actions'] as const;

/** What lines that are not whole requests are turned into requests with. */
const template = {
  model: text.model('the model of lines that name none'),
  system: text('TEXT', 'the system prompt of short lines', { short: 's' }),
  prompt: text('TEXT', 'the prompt; {name} is a column or field of the line', { short: 'p' }),
  schema: text('FILE|TEXT', 'answer in JSON of this schema'),
  maxTokens: integer('N', 'the maximum number of tokens in each answer', { min: 1 }),
};

export const run = command('run', 'send the requests of a file, and go on where it stopped', {
  description:
    'Send each line of a file as one request, and write one line for each answer. The same command again sends only what is missing; nothing is paid twice.\nA line is a request in the batch format {custom_id, method, url, body}, a short line {custom_id, prompt}, or plain text; a .csv file needs -p. All lines are checked before the first is sent.',
  args: [
    {
      name: 'input',
      summary: 'the file with the requests; - is stdin',
      required: true,
      completes: 'file',
    },
  ],
  options: {
    output: text('FILE|-', 'where the answers go, one line each', { short: 'o' }),
    errors: text('FILE', 'where requests go that failed for good; it is an input again'),
    ordered: flag('write the answers in the order of the input'),
    files: text('DIR', 'where audio and media files go', { completes: 'directory' }),
    ...under('Requests', template),
    ...under('Limits', {
      concurrency: integer('N', 'the maximum number of requests in flight', { min: 1, max: 4096 }),
      rpm: number('N', 'the maximum number of requests a minute', { min: 1 }),
      tpm: number('N', 'the maximum number of tokens a minute', { min: 1 }),
      budget: number('RUB', 'the maximum that all lines together may cost', { min: 0 }),
      estimate: flag('print count, tokens and price; send nothing'),
    }),
    ...under('Resuming', {
      unknown: text('WHAT', 'requests that may have been charged without an answer', {
        choices: unknownChoices,
        default: 'skip',
      }),
      shard: text('I/N', 'only the lines of this shard; auto reads it from the environment'),
      progress: text('FORM', 'how progress is shown', { choices: ['text', 'json', 'none'] }),
    }),
  },
  examples: [
    'svc batch run requests.jsonl -o answers.jsonl # again: only what is missing',
    'svc batch run words.csv -m vendor/model -p "Translate {word}" -o answers.jsonl # a row each',
    'cat questions.txt | svc batch run -m vendor/model - | jq -r .custom_id # in a pipe',
  ],
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
  load: (): Promise<Loaded> => import('./run.js'),
});

const outputs = {
  name: 'output',
  summary: 'files that `svc batch run` has written',
  many: true,
  required: true,
  completes: 'file',
} as const;

const { concurrency, budget, errors, files, unknown } = run.options;
const shared = { concurrency, budget, errors, files, unknown, ...template };

export const plan = command('plan', 'print what divides a batch among machines', {
  description:
    'Prints a manifest or script that runs `svc batch run` in shards: a Job of Kubernetes, an array of Slurm, a line of GNU parallel or a workflow of GitHub Actions. Nothing is sent, and the key is not in it. Each shard has a file of its own, such as answers-1-of-16.jsonl; on Kubernetes they are numbered from 0. --budget is divided among the shards.',
  args: [
    { name: 'input', summary: 'the file with the requests', required: true, completes: 'file' },
  ],
  options: {
    engine: text('ENGINE', 'what runs the shards', { choices: engines }),
    // More jobs than this are too many for a matrix of GitHub Actions.
    count: integer('N', 'the number of shards', { short: 'n', min: 1, max: 256 }),
    output: text('FILE', 'where the answers go', { short: 'o', default: 'answers.jsonl' }),
    ...shared,
    image: text('IMAGE', 'the container image of the Job'),
  },
  examples: [
    'svc batch plan --engine kubernetes -n 16 --image registry.example/svc-cli requests.jsonl > job.yaml # for kubectl apply',
    'svc batch plan --engine slurm -n 100 --budget 5000 requests.jsonl > plan.sh # 50 RUB for each shard',
    'svc batch plan --engine parallel -n 4 requests.jsonl > plan.sh # then: bash plan.sh',
  ],
  load: (): Promise<Loaded> => import('./plan.js'),
});

export const batch = group('Tools', 'batch', 'send many requests from a file', [run, plan]);
void outputs;
void duration;
