/** Whatever a program has asked for: the service, svc run, the budget and the log agree on its price. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { numberOf, recordOf } from '../../../src/lib/json.js';
import { testFolder } from '../../helpers/folder.js';
import { run } from '../../helpers/run.js';
import { program } from './scene.js';

const messages = [{ role: 'user', content: 'say a few words' }];
const chat = { model: 'local/guide', max_tokens: 200 };
const bodies = [true, false].flatMap((stream): [string, object][] => [
  ['/chat/completions', { ...chat, messages, stream }],
  ['/messages', { ...chat, messages, stream }],
  ['/responses', { model: chat.model, max_output_tokens: 200, input: 'say a few words', stream }],
]);
const others: [string, object][] = [
  ['/embeddings', { model: 'local/embed', input: ['one', 'two'] }],
  ['/images/generations', { model: 'local/canvas', prompt: 'a lighthouse' }],
  ['/audio/speech', { model: 'local/voice', voice: 'alto', input: 'hello there' }],
  ['/search', { query: 'price' }],
];

const priceIn = (value: unknown) => numberOf(recordOf(recordOf(value)['cost'])['priceRub']);

it.each<[string, readonly [string, object][], boolean]>([
  ['chats in each format, whole and streamed', bodies, true],
  ['anything else that is paid', others, false],
])('agree on %s', async (_, asked, isLogged) => {
  const [home, report] = [testFolder(), join(testFolder(), 'report.json')];
  const { words, seen } = program(`
    const { OPENAI_API_KEY: key, OPENAI_BASE_URL: url } = process.env;
    const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' };
    const one = async ([path, body]) => {
      const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
      await answer.arrayBuffer();
      return answer.status;
    };
    return Promise.all(${JSON.stringify(asked)}.map(one));`);
  const env = { SVC_BUDGET: '100' };
  const options = ['--local', '--max-cost', '50', 'run', '--report', report];
  expect(await run([...options, ...words], { home, env })).toMatchObject({ code: 0 });
  expect(seen()).toEqual(asked.map(() => 200));
  const json = async (line: string): Promise<unknown> =>
    JSON.parse((await run(`--local ${line} --json`, { home, env })).stdout);
  const priceRub = priceIn(recordOf(await json('usage chart'))['total']);
  expect(priceRub).toBeGreaterThan(0);
  const reported: unknown = JSON.parse(readFileSync(report, 'utf8'));
  expect(reported).toMatchObject({ requests: asked.length, unpriced: 0, cost: { priceRub } });
  expect(await json('budget')).toMatchObject({
    day: { spentRub: priceRub, reservedRub: 0 },
    unknown: [],
  });
  if (isLogged) expect(priceIn(await json('logs list --sum'))).toBe(priceRub);
});
