import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../../helpers/folder.js';
import { run } from '../../helpers/run.js';

const chat = (model: string, content: string) => ({
  url: '/v1/chat/completions',
  body: { model, messages: [{ role: 'user', content }], max_tokens: 1000 },
});

function estimate(requests: readonly object[], more: readonly string[]) {
  const home = testFolder();
  const input = join(home, 'in.jsonl');
  writeFileSync(input, requests.map((one) => `${JSON.stringify(one)}\n`).join(''));
  return run(['--local', 'batch', 'run', input, '--estimate', ...more], { home });
}

describe('svc batch run --estimate', () => {
  it('gives count, tokens and price by model, and the time at the given limits', async () => {
    const requests = [
      // 396 characters, and four of the role.
      ...Array.from({ length: 60 }, () => chat('local/guide', 'x'.repeat(396))),
      { url: '/v1/search', body: { query: 'cats' } },
      { url: '/v1/messages/count_tokens', body: { model: 'free', messages: [{ role: 'user' }] } },
    ];
    const { code, stdout, stderr } = await estimate(requests, ['--rpm', '31']);
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
  });

  it('leaves a price open that is not known', async () => {
    const requests = [chat('local/guide', 'x'.repeat(396)), chat('no/such', 'xxxx')];
    const { stdout } = await estimate(requests, ['--json', '--tpm', '102']);
    expect(JSON.parse(stdout)).toEqual({
      requests: 2,
      input_tokens: 102,
      from_rub: null,
      to_rub: null,
      seconds: 60,
      models: [
        { model: 'local/guide', requests: 1, input_tokens: 100, from_rub: 0.01, to_rub: 0.424 },
        { model: 'no/such', requests: 1, input_tokens: 2, from_rub: null, to_rub: null },
      ],
    });
  });
});
