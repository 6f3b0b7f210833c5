import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Interrupted } from '../../src/cli/main.js';
import { testFolder } from '../helpers/folder.js';
import { localScript } from '../helpers/local-script.js';
import { run, type RunOptions } from '../helpers/run.js';

/** Runs `svc serve` until `during` is done with its address. */
async function serving(
  line: string,
  during: (url: string) => Promise<void>,
  options: RunOptions = {},
) {
  const interrupt = new AbortController();
  const failures: unknown[] = [];
  const result = await run(`serve --port 0 ${line}`, {
    ...options,
    signal: interrupt.signal,
    onStdout: (text) => {
      during(text.trim())
        .catch((error: unknown) => failures.push(error))
        .finally(() => {
          interrupt.abort(new Interrupted('SIGINT'));
        });
    },
  });
  expect(failures).toEqual([]);
  return result;
}

describe('svc serve', () => {
  it('prints its address alone on stdout, and the keys for people', async () => {
    let address = '';
    const result = await serving('--memory', async (url) => {
      address = url;
      const answer = await run('balance', {
        env: { SVC_BASE_URL: url, SVC_API_KEY: 'sk-svc-local' },
      });
      expect(answer).toMatchObject({ code: 0, stdout: '1000.00 RUB\n' });
    });
    expect(result.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/);
    expect(result.stderr).toContain(`SVC_BASE_URL=${address} SVC_API_KEY=sk-svc-local svc chat`);
    for (const key of ['local', 'local-empty', 'local-blocked', 'local-limited', 'local-sandbox']) {
      expect(result.stderr).toMatch(new RegExp(`^  sk-svc-${key}  \\S`, 'm'));
    }
    await expect(fetch(address)).rejects.toThrow();
  });

  it('shares its ledger with --local, unless it is kept in memory', async () => {
    const home = testFolder();
    await run('--local chat -m local/guide "What can you do?"', { home });
    const left = (await run('--local balance --json', { home })).stdout;
    expect(left).not.toContain('1000,');
    const ask = async (url: string) => {
      const env = { SVC_BASE_URL: url, SVC_API_KEY: 'sk-svc-local' };
      return (await run('balance --json', { env })).stdout;
    };
    await serving('', async (url) => expect(await ask(url)).toBe(left), { home });
    await serving('--memory', async (url) => expect(await ask(url)).not.toBe(left), { home });
  });

  it('answers from the script of its flag, or of the environment', async () => {
    const flag = localScript({ reply: 'by flag' }).SVC_LOCAL_SCRIPT;
    const env = localScript({ reply: 'by environment' });
    const says = (words: string) => async (url: string) => {
      const result = await run('chat -m local/script hi', {
        env: { SVC_BASE_URL: url, SVC_API_KEY: 'sk-svc-local' },
      });
      expect(result.stdout).toBe(words);
    };
    await serving('--memory', says('by environment'), { env });
    await serving(`--memory --script ${flag}`, says('by flag'), { env });
  });

  it('on a port that is taken is one clear sentence, exit 2', async () => {
    const other = createServer();
    const port = await new Promise<number>((resolve) => {
      other.listen(0, '127.0.0.1', () => {
        const address = other.address();
        resolve(typeof address === 'object' && address ? address.port : 0);
      });
    });
    onTestFinished(() => void other.close());
    const result = await run(`serve --memory --port ${String(port)}`);
    expect(result).toMatchObject({
      code: 2,
      stdout: '',
      stderr:
        `error: port ${String(port)} is taken\n` +
        'hint: choose another port; --port 0 picks a free one\n',
    });
  });

  it('searches a folder besides the manual', async () => {
    const folder = testFolder();
    writeFileSync(join(folder, 'roses.md'), '# Roses\n\nRoses want clay.');
    writeFileSync(join(folder, 'image.png'), 'no text');
    let found = '';
    const result = await serving(`--memory --corpus ${folder}`, async (url) => {
      const env = { SVC_BASE_URL: url, SVC_API_KEY: 'sk-svc-local' };
      found = (await run('search --urls roses clay', { env })).stdout;
    });
    expect(found).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/corpus\/roses\.md\n/);
    expect(result.stderr).toContain(`1 text of ${folder} can be searched\n`);
  });

  it.each(['nowhere', 'file.md'])('refuses the folder %s before it listens', async (name) => {
    const folder = testFolder();
    writeFileSync(join(folder, 'file.md'), 'text');
    const path = join(folder, name);
    const result = await run(`serve --port 0 --memory --corpus ${path}`);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain(`--corpus: cannot read the folder ${path}: `);
  });

  it('names the cabinet session, which opens the webhooks', async () => {
    const result = await serving('--memory', async (url) => {
      const headers = { cookie: 'svc_session=local' };
      const response = await fetch(`${url}/api/webhooks`, { headers });
      expect(await response.json()).toEqual({ mediaWebhookUrl: null, balanceWebhookUrl: null });
    });
    expect(result.stderr).toContain(
      'cabinet session, for /api/webhooks: the cookie svc_session=local',
    );
  });
});
