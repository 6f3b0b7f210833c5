import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recordOf } from '../../../src/lib/json.js';
import { fakeService, json, type Answer } from '../../helpers/fake-service.js';
import { testFolder } from '../../helpers/folder.js';
import { run, type RunOptions } from '../../helpers/run.js';

const reply = {
  object: 'decisions',
  model: 'vendor/decide',
  answers: {
    team: { choice: 'billing', probabilities: { tech: 0.08, billing: 0.92 }, confidence: 0.92 },
    mood: {
      score: 2,
      legend: { '1': 'calm', '2': 'annoyed', '3': 'furious' },
      probabilities: { '1': 0.1, '2': 0.65, '3': 0.25 },
      confidence: 0.65,
    },
    spam: { noul: 0.07 },
  },
  usage: { input_tokens: 120, output_tokens: 9 },
};

/** The flags that ask these questions. */
const asking = [
  ...['--choice', 'team=Who should answer?'],
  ...['--option', 'team:billing=payments', '--option', 'team:tech=errors'],
  ...['--score', 'mood=How does the writer feel?'],
  ...['--level', 'mood=calm', '--level', 'mood=annoyed', '--level', 'mood=furious'],
  ...['--noul', 'spam=Is it spam?'],
];

const questions = {
  team: {
    type: 'choice',
    instructions: 'Who should answer?',
    criteria: { billing: 'payments', tech: 'errors' },
  },
  mood: {
    type: 'score',
    instructions: 'How does the writer feel?',
    criteria: ['calm', 'annoyed', 'furious'],
  },
  spam: { type: 'noul', instructions: 'Is it spam?' },
};

const deciding: Answer = (request, response) => {
  const { url } = request;
  if (url === '/v1/balance') json({ balance_rub: 12.5 })(request, response);
  else if (url.startsWith('/v1/generations/')) json({ priceRub: 0.02 })(request, response);
  else if (url === '/v1/models') json({ data: [] })(request, response);
  else if (url === '/v1/pricing') json({ data: [{ id: 'vendor/decide' }] })(request, response);
  else json(reply, 200, { 'x-svc-generation-id': 'gen_1' })(request, response);
};

/** Runs `svc decide` with a service that decides so; each call costs 0.02 RUB. */
async function decided(
  words: readonly string[],
  options: RunOptions = {},
  answer: Answer = deciding,
) {
  const service = await fakeService(answer);
  const env = { ...service.env, NO_COLOR: '1', ...options.env };
  const result = await run(['decide', ...words], { ...options, env });
  const sent = service.requests
    .filter(({ method }) => method === 'POST')
    .map(({ body }) => recordOf(JSON.parse(body)));
  return { ...result, sent, requests: service.requests };
}

function fileOf(name: string, content: string | Buffer): string {
  const path = join(testFolder(), name);
  writeFileSync(path, content);
  return path;
}

describe('svc decide', () => {
  it('gives a pipe a line for each answer', async () => {
    const result = await decided(['--state', 'Paid twice!', ...asking]);
    expect(result).toMatchObject({
      stdout: 'team\tbilling\t0.92\t\nmood\t2\t0.65\tannoyed\nspam\t0.07\t\t\n',
      stderr: '',
      code: 0,
    });
    expect(result.sent).toEqual([{ state: 'Paid twice!', questions }]);
  });

  it('shows people the probabilities as bars, and the cost', async () => {
    expect(await decided(['--state', 'x', ...asking], { tty: true, colour: true })).toMatchObject({
      stdout: [
        'QUESTION  ANSWER       PROBABILITY',
        'team      billing      confidence 0.92',
        '            billing    ██████████████████▍   0.92',
        '            tech       █▋                    0.08',
        'mood      2 (annoyed)  confidence 0.65',
        '            calm       ██                    0.10',
        '            annoyed    █████████████         0.65',
        '            furious    █████                 0.25',
        'spam      0.07         █▍',
        '',
      ].join('\n'),
      stderr: '120 tokens · 0.02 RUB · balance 12.50 RUB\n',
      code: 0,
    });
  });

  it('passes the reply on as JSON, with the cost', async () => {
    const { stdout, stderr, code } = await decided(['--state', 'x', '--json', ...asking]);
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    expect(JSON.parse(stdout)).toEqual({
      ...reply,
      cost: { priceRub: 0.02, balanceRub: 12.5 },
      ids: { 'generation-id': 'gen_1' },
    });
  });

  it.each([
    [['--state', 'text'], undefined, 'text'],
    [['--state', '[1,"b"]'], undefined, [1, 'b']],
    [['--state', '-'], 'from stdin\n', 'from stdin\n'],
    [[], 'piped in', 'piped in'],
    [[], '\ufeff{"a":[1]}', { a: [1] }],
    [['--state', 'given'], 'not read', 'given'],
  ])('takes the state from %j', async (words, stdin, state) => {
    const { sent, code } = await decided([...words, '--noul', 'spam=Is it?'], { stdin });
    expect({ state: sent[0]?.['state'], code }).toEqual({ state, code: 0 });
  });

  it.each([
    ['questions.json', JSON.stringify(questions)],
    [
      'questions.yaml',
      `team:
  type: choice
  instructions: Who should answer?
  criteria: { billing: payments, tech: errors }
mood:
  type: score
  instructions: How does the writer feel?
  criteria: [calm, annoyed, furious]
spam:
  type: noul
  instructions: Is it spam?
`,
    ],
  ])('takes the questions from %s', async (name, content) => {
    const { sent, code } = await decided(['--state', 'x', '--questions', fileOf(name, content)]);
    expect({ sent, code }).toEqual({ sent: [{ state: 'x', questions }], code: 0 });
    const piped = await decided(['--state', 'x', '--questions', '-'], { stdin: content });
    expect(piped.sent).toEqual(sent);
  });

  const many = Array.from({ length: 21 }, (_, index) => ['--noul', `q${index}=Is it?`]).flat();
  const yes = ['--noul', 'spam=Is it?'];
  it.each([
    [[], 'no question given'],
    [many, 'questions must have 1 to 20 questions'],
    [['--score', 'mood=How?'], 'the score "mood" has no levels; give --level mood=LEVEL'],
    [[...yes, '--option', 'billing=x'], '--option needs NAME:OPTION=MEANING, not "billing=x"'],
    [
      ['--choice', 'team=Who?', '--option', 'team:a=A', '--option', 'taem:b=B'],
      '--option: there is no --choice "taem"; did you mean team?',
    ],
    [
      ['-m', 'vendor/decid', ...yes],
      'no model is called "vendor/decid"; did you mean vendor/decide?',
    ],
    [['--exit-on', 'spam', ...yes], '--exit-on needs NAME=VALUE, not "spam"'],
    [['--exit-on', 'spm=yes', ...yes], '--exit-on: there is no question "spm"; did you mean spam?'],
    [['--exit-on', 'spam=maybe', ...yes], '--exit-on: "spam" is answered by a number from 0 to 1'],
    [['--exit-on', 'mood=mad', ...asking], '--exit-on: "mood" has no level "mad"'],
  ])('refuses %.60j in one sentence, and asks nothing', async (words, sentence) => {
    const { stdout, stderr, code, sent } = await decided(['--state', 'x', ...words]);
    expect({ stdout, code, sent }).toEqual({ stdout: '', code: 2, sent: [] });
    expect(stderr).toMatch(/^error: [^\n]+\n(hint: [^\n]+\n)?$/);
    expect(stderr).toContain(`error: ${sentence}`);
  });

  it.each([
    ['[1]', '--questions: the file does not map names to questions'],
    ['a: 1\na: 2', '--questions: stdin has the key "a" twice'],
    ['__proto__: 1', 'a question cannot be named "__proto__"'],
    ['{}', 'no question given'],
    [
      'a: { type: chioce, instructions: A? }',
      'has the unknown type "chioce"; did you mean choice?',
    ],
    ['a: { type: choice, instructions: A? }', 'the choice "a" has no options'],
    ['a: { type: choice, instructions: A?, criteria: [x] }', 'must map each option'],
    [
      'a: { type: noul, instructions: A?, criteria: [x] }',
      'the noul question "a" does not accept criteria',
    ],
    ['a: { type: noul, instructions: "" }', 'the question "a" has no text'],
  ])('refuses the questions %s', async (stdin, sentence) => {
    const line = ['--state', 'x', '--questions', '-'];
    const { stdout, stderr, code, sent } = await decided(line, { stdin });
    expect({ stdout, code, sent }).toEqual({ stdout: '', code: 2, sent: [] });
    expect(stderr).toMatch(/^error: [^\n]+\n(hint: [^\n]+\n)?$/);
    expect(stderr).toContain(sentence);
  });

  it.each([
    [['--state', ' '], {}, 'no state given'],
    [[], { tty: { stdin: true } }, 'no state given'],
    [['--state', '@/nowhere'], {}, '--state: there is no file /nowhere'],
    [
      ['--questions', '-'],
      { stdin: 'a: { type: noul, instructions: A? }' },
      '--questions - uses stdin',
    ],
  ])('refuses %j without a state', async (words, options, sentence) => {
    const { stdout, stderr, code, requests } = await decided([...words, ...yes], options);
    expect({ stdout, code, requests }).toEqual({ stdout: '', code: 2, requests: [] });
    expect(stderr).toContain(`error: ${sentence}`);
  });
});

describe('--exit-on', () => {
  it.each([
    ['team=billing', 0],
    ['team=tech', 13],
    ['team!=billing', 13],
    ['mood=2.0', 0],
    ['mood>=annoyed', 0],
    ['mood<=1', 13],
    ['spam=no', 0],
    ['spam=yes', 13],
    ['spam>=0.5', 13],
  ])('%s ends with %i, silently', async (condition, code) => {
    const line = ['--state', 'x', ...asking];
    const result = await decided([...line, '--exit-on', condition]);
    expect({ stderr: result.stderr, code: result.code }).toEqual({ stderr: '', code });
    expect(result.stdout).toBe('team\tbilling\t0.92\t\nmood\t2\t0.65\tannoyed\nspam\t0.07\t\t\n');
  });

  it('does not treat a failure as a no', async () => {
    const line = ['--state', 'x', ...asking, '--exit-on', 'team=tech'];
    expect((await decided(line, {}, json({ error: 'no' }, 402))).code).toBe(5);
    const { stderr, code } = await decided(line, {}, json({ answers: {} }));
    expect(code).toBe(10);
    expect(stderr).toContain('the service returned no answer to "team"');
  });

  it('shows what came and ends with 12 where a question has no answer', async () => {
    const { spam } = reply.answers;
    const partly = await decided(['--state', 'x', ...asking], {}, json({ answers: { spam } }));
    expect(partly.code).toBe(12);
    expect(partly.stdout).toContain('spam\t0.07\t\t\n');
    expect(partly.stderr).toContain('the service returned no answer to "team", "mood"\n');
  });
});

describe('an unusable answer', () => {
  const line = ['--state', 'x', '--noul', 'q=Is it?'];
  it.each([
    [{ noul: ['0.9'] }, '["0.9"]'],
    [{ verdict: 1 }, '{"verdict":1}'],
  ])('%j is neither a yes nor a no', async (answer, told) => {
    for (const condition of ['q=yes', 'q=no', 'q!=yes', 'q>=0.5', 'q<=0.5', 'q=0.5']) {
      const { stderr, code } = await decided(
        [...line, '--exit-on', condition],
        {},
        json({ answers: { q: answer } }),
      );
      expect({ condition, code }).toEqual({ condition, code: 10 });
      expect(stderr).toContain(
        `the service returned an invalid answer to "q": ${JSON.stringify(told)}`,
      );
    }
  });

  it('may be an option that was not offered', async () => {
    const words = ['--state', 'x', '--choice', 't=Who?', '--option', 't:a', '--option', 't:b'];
    const { code } = await decided(
      [...words, '--exit-on', 't!=a'],
      {},
      json({ answers: { t: { choice: 'c' } } }),
    );
    expect(code).toBe(10);
  });
});

describe('the failures of the decisions model are distinguished', () => {
  const look = 'check whether it was carried out before you send it again: `svc usage list`; ';
  it.each([
    [400, 'see what was sent with --dry-run; `svc models pricing` shows the decisions models', 3],
    [502, 'the decisions model failed, not the request: run it again in a moment', 6],
    [504, `${look}a shorter state and fewer questions take less time`, 10],
  ])('%i', async (status, hint, code) => {
    const line = ['--state', 'x', '--noul', 'q=Is it?'];
    const failure = { error: { message: 'it failed', type: 'api_error', code: 'failed' } };
    const result = await decided(line, {}, json(failure, status));
    const stderr = `error: it failed\nhint: ${hint}\n`;
    expect(result).toMatchObject({ stdout: '', stderr, code });
    expect(result.sent).toHaveLength(1);
  });
});
