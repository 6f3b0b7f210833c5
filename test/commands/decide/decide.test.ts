import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { fakeService, json, type Answer } from '../../helpers/fake-service.js';
import { run, type RunOptions } from '../../helpers/run.js';
import { bodiesOf, fileOf } from '../chat/scene.js';

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
const shown = 'team\tbilling\t0.92\t\nmood\t2\t0.65\tannoyed\nspam\t0.07\t\t\n';

/** A line that asks these questions. */
const asking =
  '--state x --choice "team=Who should answer?" --option team:billing=payments --option team:tech=errors --score "mood=How does the writer feel?" --level mood=calm --level mood=annoyed --level mood=furious --yes-no "spam=Is it spam?"';
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
const one = '--state x --yes-no "q=Is it?"';

const deciding: Answer = (request, response) => {
  const { url } = request;
  if (url === '/v1/balance') json({ balance_rub: 12.5 })(request, response);
  else if (url.startsWith('/v1/generations/')) json({ priceRub: 0.02 })(request, response);
  else if (url === '/v1/models') json({ data: [] })(request, response);
  else if (url === '/v1/pricing') json({ data: [{ id: 'vendor/decide' }] })(request, response);
  else json(reply, 200, { 'x-svc-generation-id': 'gen_1' })(request, response);
};

/** Runs `svc decide` with a service that decides so; each call costs 0.02 RUB. */
async function decided(line: string, options: RunOptions = {}, answer = deciding) {
  const service = await fakeService(answer);
  const env = { ...service.env, NO_COLOR: '1', ...options.env };
  const result = await run(`decide ${line}`, { ...options, env });
  return { ...result, sent: bodiesOf(service.requests) };
}

describe('svc decide', () => {
  it('gives a pipe a line for each answer', async () => {
    const result = await decided(asking);
    expect(result).toMatchObject({ stdout: shown, stderr: '', code: 0 });
    expect(result.sent).toEqual([{ state: 'x', questions }]);
  });

  it('shows people the probabilities as bars, and the cost', async () => {
    expect(await decided(asking, { tty: true, colour: true })).toMatchObject({
      stdout: [
        'QUESTION  ANSWER     PROBABILITY                       MEANING',
        'team      billing           92 %',
        '            billing         92 %  ██████████████████▍',
        '            tech             8 %  █▋',
        'mood      2                 65 %                       annoyed',
        '            calm            10 %  ██',
        '            annoyed         65 %  █████████████',
        '            furious         25 %  █████',
        'spam      no                 7 %  █▍',
        '',
      ].join('\n'),
      stderr: '120 tokens · 0.02 RUB · balance 12.50 RUB\n',
      code: 0,
    });
  });

  it('calls only the answer to a yes or no yes or no', async () => {
    const answers = { team: { choice: '0' }, mood: { score: 1 }, spam: { noul: 0.5 } };
    const { stdout } = await decided(asking, { tty: true }, (request, response) => {
      const answer = request.method === 'POST' ? json({ ...reply, answers }) : deciding;
      answer(request, response);
    });
    expect(stdout.match(/^\w+ +\w+/gm)?.slice(1)).toEqual([
      'team      0',
      'mood      1',
      'spam      yes',
    ]);
  });

  it('passes the reply on as JSON, with the cost', async () => {
    const { stdout, stderr } = await decided(`--json ${asking}`);
    expect(stderr).toBe('');
    const cost = { priceRub: 0.02, balanceRub: 12.5 };
    expect(JSON.parse(stdout)).toEqual({ ...reply, cost, ids: { generationId: 'gen_1' } });
  });

  it.each([
    ['--state text', undefined, 'text'],
    [`--state '[1,"b"]'`, undefined, [1, 'b']],
    ['--state -', 'from stdin\n', 'from stdin\n'],
    ['', 'piped in', 'piped in'],
    ['', '\ufeff{"a":[1]}', { a: [1] }],
    ['--state given', 'not read', 'given'],
  ])('takes the state from %j and the piped text %j', async (words, stdin, state) => {
    const { sent } = await decided(`${words} --yes-no "spam=Is it?"`, { stdin });
    expect(sent).toMatchObject([{ state }]);
  });

  it.each([
    ['JSON', JSON.stringify(questions)],
    ['YAML', stringify(questions)],
  ])('takes the questions from a file, or piped in, as %s', async (_, stdin) => {
    const named = await decided(`--state x --questions ${fileOf(stdin)}`);
    expect(named.sent).toEqual([{ state: 'x', questions }]);
    const piped = await decided('--state x --questions -', { stdin });
    expect(piped.sent).toEqual(named.sent);
  });

  const many = Array.from({ length: 21 }, (_, index) => `--yes-no "q${index}=Is it?"`).join(' ');
  it.each<[string, string, RunOptions?]>([
    ['--state x', 'no question given'],
    [`--state x ${many}`, 'questions must have 1 to 20 questions'],
    ['--state x --score mood=How?', 'the score "mood" has no levels; give --level mood=LEVEL'],
    [`${one} --option billing=x`, '--option needs NAME:OPTION=MEANING, not "billing=x"'],
    [
      '--state x --choice team=Who? --option team:a=A --option taem:b=B',
      '--option: there is no --choice "taem"; did you mean team?',
    ],
    [`${one} -m vendor/decid`, 'no model is called "vendor/decid"; did you mean vendor/decide?'],
    [`${one} --exit-on q`, '--exit-on needs NAME=VALUE, not "q"'],
    [`${asking} --exit-on spm=yes`, '--exit-on: there is no question "spm"; did you mean spam?'],
    [`${one} --exit-on q=maybe`, '--exit-on: "q" is answered by a number from 0 to 1'],
    [`${asking} --exit-on mood=mad`, '--exit-on: "mood" has no level "mad"'],
    ['--yes-no "q=Is it?" --state " "', 'no state given'],
    ['--yes-no "q=Is it?"', 'no state given', { tty: { stdin: true } }],
    ['--yes-no "q=Is it?" --state @/nowhere', '--state: there is no file /nowhere'],
    ['--questions -', '--questions - uses stdin', { stdin: stringify(questions) }],
  ])('refuses %.60j in one sentence, and asks nothing', async (line, sentence, options) => {
    const result = await decided(line, options);
    expect(result).toMatchObject({ stdout: '', code: 2, sent: [] });
    expect(result.stderr).toMatch(/^error: .+\n(hint: .+\n)?$/);
    expect(result.stderr).toContain(`error: ${sentence}`);
  });

  it.each([
    ['[1]', '--questions: the file does not map names to questions'],
    ['a: 1\na: 2', '--questions: stdin has the key "a" twice'],
    ['__proto__: 1', 'a question cannot be named "__proto__"'],
    ['{}', 'no question given'],
    ['a: { type: chioce, instructions: A? }', 'unknown type "chioce"; did you mean choice?'],
    ['a: { type: choice, instructions: A? }', 'the choice "a" has no options'],
    ['a: { type: choice, instructions: A?, criteria: [x] }', 'must map each option'],
    ['a: { type: noul, instructions: A?, criteria: [x] }', '"a" does not accept criteria'],
    ['a: { type: noul, instructions: "" }', 'the question "a" has no text'],
  ])('refuses the questions %s', async (stdin, sentence) => {
    const result = await decided('--state x --questions -', { stdin });
    expect(result).toMatchObject({ stdout: '', code: 2, sent: [] });
    expect(result.stderr).toMatch(/^error: .+\n(hint: .+\n)?$/);
    expect(result.stderr).toContain(sentence);
  });
});

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
])('--exit-on %s ends with %i, silently', async (condition, code) => {
  const result = await decided(`${asking} --exit-on "${condition}"`);
  expect(result).toMatchObject({ stdout: shown, stderr: '', code });
});

it('--exit-on does not treat a failure as a no', async () => {
  const line = `${asking} --exit-on team=tech`;
  expect((await decided(line, {}, json({ error: 'no' }, 402))).code).toBe(5);
  const { stderr, code } = await decided(line, {}, json({ answers: {} }));
  expect(code).toBe(10);
  expect(stderr).toContain('the service returned no answer to "team"');
});

it.each([
  [{ noul: ['0.9'] }, '["0.9"]'],
  [{ verdict: 1 }, '{"verdict":1}'],
])('--exit-on takes %j for neither a yes nor a no', async (answer, text) => {
  const answered = json({ answers: { q: answer } });
  for (const condition of ['q=yes', 'q=no', 'q!=yes', 'q>=0.5', 'q<=0.5', 'q=0.5']) {
    const { stderr, code } = await decided(`${one} --exit-on "${condition}"`, {}, answered);
    expect({ condition, code }).toEqual({ condition, code: 10 });
    const words = `the service returned an invalid answer to "q": ${JSON.stringify(text)}`;
    expect(stderr).toContain(words);
  }
});

it('--exit-on takes an option that was not offered for neither', async () => {
  const line = '--state x --choice t=Who? --option t:a --option t:b --exit-on "t!=a"';
  expect((await decided(line, {}, json({ answers: { t: { choice: 'c' } } }))).code).toBe(10);
});

it('a question without an answer ends svc decide with 12, after the others are shown', async () => {
  const { spam } = reply.answers;
  const partly = await decided(asking, {}, json({ answers: { spam } }));
  expect(partly.code).toBe(12);
  expect(partly.stdout).toContain('spam\t0.07\t\t\n');
  expect(partly.stderr).toContain('the service returned no answer to "team", "mood"\n');
});

const look = 'check whether it was carried out before you send it again: `svc usage list`; ';
it.each([
  [400, 'see what was sent with --dry-run; `svc models pricing` shows the decisions models', 3],
  [502, 'the decisions model failed, not the request: run it again in a moment', 6],
  [504, `${look}a shorter state and fewer questions take less time`, 10],
])('the failure %i of the decisions model has its own hint', async (status, hint, code) => {
  const failure = { error: { message: 'it failed', type: 'api_error', code: 'failed' } };
  const result = await decided(one, {}, json(failure, status));
  expect(result).toMatchObject({ stdout: '', stderr: `error: it failed\nhint: ${hint}\n`, code });
  expect(result.sent).toHaveLength(1);
});
