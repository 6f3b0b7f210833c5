import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod/mini';
import { engines } from '../../../src/commands/batch/index.js';
import { run } from '../../helpers/run.js';

/** What no shell, YAML parser or engine may read as its own. */
const hostile = [
  `it's "two" words`,
  '$(HOME) $HOME $$HOME ${HOME} `id`',
  '${{ secrets.SVC_API_KEY }} }}',
  '{} {#} {1} {= $_ =}',
  '\\u0000 \\" \\n # : - [a] *.jsonl ~ !',
  '-p',
  '',
];

const plan = async (engine: string, ...words: string[]) => {
  const line = ['batch', 'plan', '--engine', engine, '-n', '3', ...words];
  const { code, stderr, stdout } = await run(line);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
};

test('GNU parallel runs a function with the command', async () => {
  const words = ['--max-cost', '100', '-o', 'out/a.jsonl', 'in.jsonl'];
  expect(await plan('parallel', '--errors', 'e.jsonl', ...words)).toBe(`#!/bin/bash
# 3 shards with GNU parallel: bash PLAN; again, for what is missing: the same.
# The key: export SVC_API_KEY=…, or svc login. After that: svc batch merge --order in.jsonl out/a-*-of-3.jsonl -o out/a.jsonl
shard() {
  svc batch run in.jsonl --output out/a-"$1"-of-3.jsonl --errors e-"$1"-of-3.jsonl --shard "$1"/3 --max-cost 33.33
}
export -f shard
parallel --joblog out/a.jsonl.joblog --resume-failed shard ::: {1..3}
`);
});

test('Slurm runs an array', async () => {
  const words = ['-m', 'vendor/model', '--base-url', 'https://api.example.com', 'my in.csv'];
  expect(await plan('slurm', ...words, '-p', 'Say {word}')).toBe(`#!/bin/bash
# 3 shards as an array of Slurm, in a folder that all nodes share: sbatch PLAN
# Again, for what is missing: the same; of some shards: sbatch --array=3,7 PLAN
# The key: export SVC_API_KEY=…, or svc login. After that: svc batch merge --order 'my in.csv' answers-*-of-3.jsonl -o answers.jsonl
#SBATCH --job-name=svc-batch
#SBATCH --array=1-3
#SBATCH --output=svc-batch-%a.log
svc batch run 'my in.csv' --output answers-"$SLURM_ARRAY_TASK_ID"-of-3.jsonl --shard "$SLURM_ARRAY_TASK_ID"/3 --base-url https://api.example.com --model vendor/model --prompt 'Say {word}'
`);
});

test('Kubernetes tries a shard again where that may help, with the key from a Secret', async () => {
  const text = await plan('kubernetes', '--image', 'r/svc:1', 'in.jsonl');
  const onExitCodes = (values: number[]) => ({ containerName: 'svc', operator: 'In', values });
  expect(parse(partOf(text, 'rules'))).toEqual([
    { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
    { action: 'FailJob', onExitCodes: onExitCodes([2, 4]) },
    { action: 'FailIndex', onExitCodes: onExitCodes([1, 3, 5, 11]) },
  ]);
  expect(parse(partOf(text, 'env'))).toEqual([
    { name: 'SVC_SHARDS', value: '3' },
    { name: 'SVC_API_KEY', valueFrom: { secretKeyRef: { name: 'svc-batch', key: 'SVC_API_KEY' } } },
  ]);
  const limits = { completions: 3, parallelism: 3, backoffLimitPerIndex: 3, maxFailedIndexes: 1 };
  expect(parse(text)).toMatchObject({ spec: { completionMode: 'Indexed', ...limits } });
});

/** The list under a key, by its indentation. */
function partOf(text: string, key: string): string {
  return new RegExp(`^( *)${key}:\\n((?:\\1 .*\\n)+)`, 'm').exec(text)?.[2] ?? '';
}

const Steps = z.array(z.looseObject({ run: z.optional(z.string()) }));

test('GitHub Actions keeps what each shard has written', async () => {
  const words = ['-o', 'out/a.jsonl', 'in.jsonl', '-p', hostile.join()];
  const content = await plan('github-actions', ...words);
  expect(parse(partOf(content, 'strategy'))).toEqual({
    'fail-fast': false,
    matrix: { shard: [1, 2, 3] },
  });
  const kept = { name: 'shard-${{ matrix.shard }}', path: 'shards' };
  expect(parse(partOf(content, 'steps'))).toEqual([
    { uses: 'actions/checkout@v4' },
    { run: 'npm install --global svc-cli && mkdir -p shards' },
    { uses: 'actions/download-artifact@v4', 'continue-on-error': true, with: kept },
    {
      run: expect.stringMatching(/^svc batch run in.jsonl --output shards\/a-\$/),
      env: { SVC_API_KEY: '${{ secrets.SVC_API_KEY }}' },
    },
    { uses: 'actions/upload-artifact@v4', if: 'always()', with: { ...kept, overwrite: true } },
  ]);
});

/** The words with which a plan starts svc for its third shard. */
const started: Record<(typeof engines)[number], (text: string) => string[]> = {
  parallel: (text) => wordsIn(text, 'parallel() { shard 3; };'),
  slurm: (text) => wordsIn(text, 'SLURM_ARRAY_TASK_ID=3;'),
  'github-actions': (text) => {
    const { run: line = '' } = Steps.parse(parse(partOf(text, 'steps')))[3] ?? {};
    // As GitHub evaluates it: a string, or the number.
    const value = (_: string, quoted?: string, name?: string) =>
      quoted ?? (name === 'matrix.shard' ? '3' : 'a secret');
    return wordsIn(line.replace(/\$\{\{ (?:'(.*?)'|(.*?)) \}\}/g, value));
  },
  kubernetes: (text) => {
    const words = z.array(z.string()).parse(parse(partOf(text, 'command')));
    const read = (word: string) =>
      word.replace(/\$(?:\$|\((.*?)\))/g, (_, name?: string) => (name === undefined ? '$' : '2'));
    return words.slice(1).map(read);
  },
};

function wordsIn(script: string, before = ''): string[] {
  const whole = `svc() { printf '%s\\0' "$@"; }; ${before}\n${script}`;
  return execFileSync('bash', { input: whole, encoding: 'utf8' }).split('\0').slice(0, -1);
}

test.each(engines)('%s hands svc what was typed, whatever characters it has', async (engine) => {
  for (const text of hostile) {
    const name = `${text.replaceAll('/', '')}.jsonl`;
    const input = `in ${name}`;
    const words = await plan(engine, input, '-o', `a ${name}`, '-s', text, '--schema', text);
    const isKubernetes = engine === 'kubernetes';
    const folder = engine === 'github-actions' ? 'shards/' : '';
    const output = `${folder}a ${name}`.replace(/\.jsonl$/, `-${isKubernetes ? 2 : 3}-of-3.jsonl`);
    expect(started[engine](words)).toEqual([
      ...['batch', 'run', input, '--output', output, '--shard', isKubernetes ? 'auto' : '3/3'],
      ...['--system', text, '--schema', text],
    ]);
  }
});

test.each([
  [100, 3, 33.33],
  [0.3, 3, 0.1],
])(
  'a budget of %d RUB is, rounded down, for each of %i shards %d RUB',
  async (all, count, share) => {
    const line = `batch plan --engine slurm -n ${count} --max-cost ${all} in.jsonl`;
    expect((await run(line)).stdout).toContain(` --max-cost ${share}\n`);
  },
);

const unfit = 'a plan cannot have a line break or another control character in a value';

test.each([
  ['in.jsonl', 'a plan needs --engine and -n, the number of shards'],
  ['--engine slurm -n 0 in.jsonl', '-n: "0" is not a whole number from 1 to 256'],
  ['--engine slurm -n 2 -', 'a plan needs names of files, and - is not one'],
  [
    '--engine slurm -n 3 --max-cost 0.02 i',
    '--max-cost 0.02 is less than 0.01 RUB for each of 3 shards',
  ],
  ["--engine slurm -n 2 'in\n.jsonl'", unfit],
  ["--engine kubernetes -n 2 in.jsonl -o 'a\u2028b'", unfit],
])('svc batch plan %j is refused', async (words, message) => {
  const stderr = `error: ${message}\nhint: svc batch plan --help\n`;
  expect(await run(`batch plan ${words}`)).toMatchObject({ code: 2, stdout: '', stderr });
});
