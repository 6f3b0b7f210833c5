import { expect, it } from 'vitest';
import { recordOf } from '../../src/lib/json.js';
import { front } from '../helpers/front.js';
import { wav } from '../lib/audio/files.js';

const recording = wav(Buffer.alloc(16_000));

/** The lines whose answers are kept, with the type of a body that they share. */
const lines = [
  'chat -m local/guide hi',
  'chat -m local/guide --format messages hi',
  'chat -m local/guide --format responses --no-stream hi',
  'chat -m local/guide --search node "which is old?"',
  'embed -m local/embed one two',
  'search node',
  'search --region ru node',
  'decide -m local/decide --state x --yes-no spam=unwanted',
  'speak -m local/voice -o - hello',
  'transcribe -m local/transcribe -',
];
const options = { stdin: recording };
const stdinOf = (line: string) => (line.startsWith('transcribe') ? options : { stdin: '' });

it.each(lines)('%s is answered again for 0 RUB, and nothing is sent', async (line) => {
  const { calls, svc } = await front();
  const first = await svc(`${line} --cache`, stdinOf(line));
  expect(first).toMatchObject({ code: 0 });
  const sent = calls();
  const again = await svc(`${line} --cache`, stdinOf(line));
  expect(again).toMatchObject({ code: 0, stdout: first.stdout });
  expect(calls()).toEqual(sent);
  const shown = await svc(`${line} -v --cache=1h`, stdinOf(line));
  expect(shown.stderr).toContain('0 RUB · cached\n');
  await svc(`${line} --cache=0`, stdinOf(line));
  expect(calls().length).toBeGreaterThan(sent.length);
});

it.each(lines.filter((line) => !line.includes('-o -')))(
  '%s says in its JSON that it was cached',
  async (line) => {
    const { calls, svc } = await front();
    const json = async (more: string) =>
      recordOf(JSON.parse((await svc(`${line} --json ${more}`, stdinOf(line))).stdout));
    const first = await json('--cache');
    expect(first).not.toHaveProperty('cached');
    const before = calls();
    const again = await json('--cache');
    expect(again).toMatchObject({ cached: true, cost: { priceRub: 0 } });
    expect(again['ids']).toEqual({ ...recordOf(first['ids']), cached: true });
    expect(again['text']).toBe(first['text']);
    expect(calls()).toEqual(before);
  },
);

it.each([
  ['speak -m local/voice --new -o - hello', 'audio.speech'],
  ['transcribe -m local/transcribe --new -', 'audio.transcription'],
  ['embed -m local/embed one', 'embeddings.create'],
  ['search node', 'search.web'],
  ['decide -m local/decide --state x --yes-no spam=unwanted', 'decisions.create'],
] as const)('%s keeps nothing that is not its answer', async (line, row) => {
  const { calls, on, straighten, svc } = await front();
  const isPost = (call: string) => call.startsWith('POST');
  const isSent = async () => {
    const before = calls().length;
    await svc(`${line} --cache`, stdinOf(line));
    return calls().slice(before).some(isPost);
  };
  const answers = [{}, { error: { message: 'busy' } }, { data: [], answers: {} }];
  for (const rule of [...answers.map((json) => ({ answer: { json } })), { cutAfterBytes: 20 }]) {
    on(row, rule);
    expect(await isSent()).toBe(true);
    straighten();
  }
  expect(await isSent()).toBe(true);
  expect(await isSent()).toBe(false);
});

const line = (id: string, prompt: string) => `${JSON.stringify({ custom_id: id, prompt })}\n`;

it('a batch takes the lines that were answered before, and pays for none of them', async () => {
  const { calls, file, home, svc } = await front();
  file('one.jsonl', line('a', 'one') + line('b', 'two'));
  file('two.jsonl', line('c', 'two') + line('d', 'one') + line('e', 'three'));
  const batch = (name: string, more = '') =>
    svc(
      `batch run ${home}/${name}.jsonl -m local/guide -o ${home}/${name}-out.jsonl --cache ${more}`,
    );
  expect(await batch('one')).toMatchObject({ code: 0 });
  const sent = calls().length;
  const second = await batch('two', '--max-cost 1 --max-tokens 50');
  expect(second).toMatchObject({ code: 0 });
  expect(
    calls()
      .slice(sent)
      .filter((call) => call.startsWith('POST')),
  ).toHaveLength(3);
  const before = calls().length;
  file('three.jsonl', line('c', 'two') + line('x', 'one') + line('y', 'three'));
  const third = await svc(
    `batch run ${home}/three.jsonl -m local/guide -o ${home}/out.jsonl --cache --max-cost 0.5 --max-tokens 50`,
  );
  expect(third.stderr).toContain('3 of 3 done · 3 cached · ');
  expect(
    calls()
      .slice(before)
      .filter((call) => call.startsWith('POST')),
  ).toEqual([]);
  const report = recordOf(JSON.parse((await svc(`batch report ${home}/out.jsonl --json`)).stdout));
  expect(report).toMatchObject({ done: 3, cached: 3, attempts: 0, cost: { priceRub: 0 } });
  const again = await svc(
    `batch run ${home}/three.jsonl -m local/guide -o ${home}/out.jsonl --json --max-tokens 50`,
  );
  expect(JSON.parse(again.stdout)).toMatchObject({ done: 3, left: 0, cost: { inAllRub: 0 } });
});

it('a batch under a ceiling finds what it sent with a limit of its own', async () => {
  const { calls, file, home, svc } = await front();
  const speech = { model: 'local/voice', input: 'hello' };
  const spoken = { custom_id: 's', method: 'POST', url: '/v1/audio/speech', body: speech };
  file('in.jsonl', `${line('a', 'one')}${JSON.stringify(spoken)}\n`);
  const batch = async (name: string, more: string) => {
    const before = calls().length;
    const out = `${home}/${name}.jsonl`;
    const ran = await svc(`batch run ${home}/in.jsonl -m local/guide -o ${out} --json ${more}`);
    // The price of speech is asked for before.
    const posts = calls()
      .slice(before)
      .filter((call) => /^POST .*(?:chat|speech)/.test(call));
    return { ...recordOf(JSON.parse(ran.stdout)), posts: posts.length };
  };
  expect(await batch('one', '--cache --max-cost 10')).toMatchObject({ done: 2, posts: 2 });
  const again = await batch('two', '--cache --max-cost 10');
  expect(again).toMatchObject({ done: 2, cached: 2, posts: 0, cost: { priceRub: 0 } });
  expect(await batch('three', '--max-cost 10')).toMatchObject({ done: 2, posts: 2 });
});
