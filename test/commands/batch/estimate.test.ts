import { expect, it } from 'vitest';
import { batchFolder, chatLine } from './folder.js';

// 396 characters, and four of the role.
const chat = chatLine('', 'x'.repeat(396), { max_tokens: 1000 }).replace('"custom_id":"",', '');
const others = [
  { url: '/v1/search', body: { query: 'cats' } },
  { url: '/v1/messages/count_tokens', body: { model: 'free', messages: [{ role: 'user' }] } },
];
const all = chat.repeat(60) + others.map((one) => `${JSON.stringify(one)}\n`).join('');

it('svc batch run --estimate gives tokens, price and time, and sends nothing', async () => {
  const { read, svc } = batchFolder({ 'in.jsonl': all });
  const words = '--local batch run in.jsonl --estimate -o out.jsonl --rpm 31';
  const { code, stdout, stderr } = await svc(words);
  expect({ code, stdout: stdout.split('\n'), stderr }).toEqual({
    code: 0,
    stdout: [
      'local/guide\t60\t6000\t0.60 RUB\t25.44 RUB',
      '/v1/search\t1\t0\t0.30 RUB\t0.30 RUB',
      'free\t1\t1\t0.00 RUB\t0.00 RUB',
      'all\t62\t6001\t0.90 RUB\t25.74 RUB',
      '',
    ],
    stderr: 'at least 2 min at these limits\n',
  });
  expect(read('out.jsonl')).toBeUndefined();
});

it('svc batch run --estimate leaves a price open that is not known', async () => {
  const unknown = chatLine('other', 'xxxx', { model: 'no/such', max_tokens: 1000 });
  const { svc } = batchFolder({ 'in.jsonl': chat + unknown });
  const { stdout } = await svc('--local batch run in.jsonl --estimate --json --tpm 102');
  const open = { from_rub: null, to_rub: null };
  const known = { input_tokens: 100, from_rub: 0.01, to_rub: 0.424 };
  expect(JSON.parse(stdout)).toEqual({
    ...{ requests: 2, input_tokens: 102, seconds: 60, ...open },
    models: [
      { model: 'local/guide', requests: 1, ...known },
      { model: 'no/such', requests: 1, input_tokens: 2, ...open },
    ],
  });
});
