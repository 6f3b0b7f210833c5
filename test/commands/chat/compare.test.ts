import { describe, expect, it } from 'vitest';
import { Log } from '../../../src/state/log.js';
import { pathsFrom } from '../../../src/state/paths.js';
import { chunks, chunksEnd, fakeService, json } from '../../helpers/fake-service.js';
import type { Answer, Seen } from '../../helpers/fake-service.js';
import { testFolder } from '../../helpers/folder.js';
import { gate } from '../../helpers/gate.js';
import { jsonOf, run } from '../../helpers/run.js';
import { bodiesOf } from './scene.js';

const usage = { prompt_tokens: 2, completion_tokens: 3 };
const usageChunk = `data: ${JSON.stringify({ id: 'c1', choices: [], usage })}\n\n`;

const modelIn = ({ body }: Pick<Seen, 'body'>) => (JSON.parse(body) as { model: string }).model;

function otherReply(request: Seen): Answer | undefined {
  if (request.url.includes('balance')) return json({ balance_rub: 9 });
  if (request.url.includes('lost')) return json({}, 404);
  if (request.method === 'GET') return json({ priceRub: 0.5 });
  const model = modelIn(request);
  const error = { code: 'overdue', message: `no ${model}` };
  return model.startsWith('bad') ? json({ error }, 402) : undefined;
}

/** The model `a` answers in two parts, the second when `b` has answered; `bad` is refused, `cut` not answered. */
async function scene() {
  const answered = gate();
  const service = await fakeService((request, response) => {
    const other = otherReply(request);
    if (other) {
      other(request, response);
      return;
    }
    const model = modelIn(request);
    if (model === 'cut') return response.destroy();
    const headers = { 'content-type': 'text/event-stream', 'x-svc-generation-id': `gen-${model}` };
    response.writeHead(200, headers);
    const end = usageChunk + chunksEnd;
    if (model !== 'a') return response.end(chunks(`**${model}**: yes.`) + end, answered.open);
    response.write(chunks('First,\n'));
    void answered.opened.then(() => response.end(chunks('then.') + end));
  });
  return { ...service, home: testFolder() };
}

describe('chat with several models', () => {
  it('asks all at once, and shows the answers in the order of the options', async () => {
    const { env, home, requests } = await scene();
    const result = await run('chat -m a -m b hi', { env, home });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.stdout).toBe('== a ==\nFirst,\nthen.\n\n== b ==\n**b**: yes.\n\n');
    const models = bodiesOf(requests).map((body) => String(body['model']));
    expect(models.sort()).toEqual(['a', 'b']);
    const turns = new Log(pathsFrom({ SVC_CONFIG_DIR: home })).turns({});
    expect(turns.map(({ model }) => model).sort()).toEqual(['a', 'b']);
    expect(new Set(turns.map(({ conversation }) => conversation)).size).toBe(2);
  });

  it('shows the price and time of each, and the total', async () => {
    const { env, home } = await scene();
    const { stderr } = await run('chat -m a -m b hi', { env, home, tty: true, columns: 119 });
    const facts = /^2 in, 3 out tokens · \S+ m?s · 0\.50 RUB$/m.source;
    expect(stderr).toMatch(
      new RegExp(`${facts}\\s+${facts}\\s+^total · 1\\.00 RUB · balance 9\\.00 RUB$`, 'm'),
    );
  });

  it('does not call a total whole that lacks a price', async () => {
    const { env, home } = await scene();
    const one = await run('chat -m b -m lost hi', { env, home, tty: true, columns: 100 });
    expect(one.stderr).toMatch(/^total at least 0\.50 RUB · balance 9\.00 RUB$/m);
    const two = await run('chat -m b -m c -m cut hi', { env, home, tty: true, columns: 100 });
    expect(two.stderr).toMatch(/^total at least 1\.00 RUB · balance 9\.00 RUB$/m);
    const refused = await run('chat -m b -m bad hi', { env, home, tty: true, columns: 100 });
    expect(refused.stderr).not.toContain('total');
  });

  it('is side by side where the screen is wide enough', async () => {
    const { env, home } = await scene();
    const screen = { tty: true, columns: 120 };
    const { stdout, stderr } = await run('chat -m a -m b hi', { env, home, ...screen });
    expect(stdout).toBe('a       b\nFirst,  **b**: yes.\nthen.\n');
    expect(stderr).toMatch(/^a · 2 in, .*\nb · 2 in, .*\ntotal · 1\.00 RUB · /m);
    const five = await run('chat -m b -m c -m d -m e -m f hi', { env, tty: true, columns: 200 });
    expect(five.stdout).toContain('== f ==\n');
  });

  it('wraps each column by words, by the width of what they show', async () => {
    const home = testFolder();
    const line = ['--local', 'chat', '-m', 'local/echo', '-m', 'local/guide', '漢字 '.repeat(40)];
    const { stdout } = await run(line, { home, tty: true, columns: 120 });
    const [titles = '', first = ''] = stdout.split('\n');
    expect(titles.indexOf('local/guide')).toBe(61);
    expect(first.startsWith(`${'漢字 '.repeat(12).trimEnd()}  `)).toBe(true);
  });

  it('gives --json an array, with the time of each', async () => {
    const { env, home } = await scene();
    const { stdout, code } = await run('chat --json -m a -m bad -m b hi', { env, home });
    expect(code).toBe(12);
    const cost = { priceRub: 0.5, balanceRub: 9 };
    const ms: unknown = expect.any(Number);
    const error = { code: 'overdue', message: 'no bad' };
    expect(JSON.parse(stdout)).toMatchObject([
      { text: 'First,\nthen.', finishReason: 'stop', complete: true, cost, ms },
      { model: 'bad', text: '', complete: false, error, ms },
      { text: '**b**: yes.', complete: true, ms },
    ]);
  });

  it('ends with 12 if only some answered, and otherwise as the first failure does', async () => {
    const { env, home } = await scene();
    const some = await run('chat -m bad -m b hi', { env, home });
    expect(some).toMatchObject({ code: 12, stdout: '== bad ==\n\n== b ==\n**b**: yes.\n\n' });
    expect(some.stderr).toBe('error: bad: no bad\nerror: 1 of 2 models answered\n');
    const none = await run('chat -m bad1 -m bad2 hi', { env, home });
    expect(none.code).toBe(5);
    expect(none.stderr).toMatch(/^error: bad2: no bad2\nerror: bad1: no bad1\n/);
  });

  it('refuses what is for one model, and a model twice, before anything is sent', async () => {
    const { env, requests } = await scene();
    const flags = ['-c', '--conversation x', '--events', '-o f', '-x', '--count-tokens'];
    for (const flag of [...flags, '--search q', '--dry-run', '-m " a"']) {
      const { stderr, code } = await run(`chat -m a -m b ${flag} hi`, { env });
      expect([flag, code]).toEqual([flag, 2]);
      expect(stderr).toMatch(/^error: --\S+ (a is given twice|works with one --model only)\n/);
    }
    expect(requests).toHaveLength(0);
  });

  it('pays for no answer when one of the models is not there', async () => {
    const home = testFolder();
    const { code, stderr } = await run('--local chat -m local/echo -m local/eco hi', { home });
    expect(code).toBe(2);
    expect(stderr).toContain('no model is called "local/eco"; did you mean local/echo?');
    expect(await jsonOf(run('--local usage list --json', { home }))).toMatchObject({ total: 0 });
  });

  it('shows after Ctrl-C what has arrived, side by side too', async () => {
    const stop = new AbortController();
    const { env } = await fakeService((request, response) => {
      if (request.method !== 'POST') {
        json({})(request, response);
        return;
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const isLong = modelIn(request) === 'a';
      response.write(chunks(isLong ? 'First,' : 'Done.'));
      if (!isLong) response.end(usageChunk + chunksEnd);
      else setImmediate(() => setImmediate(() => stop.abort(new Error('stopped'))));
    });
    const screen = { tty: true, columns: 120, signal: stop.signal };
    expect((await run('chat -m b -m a hi', { env, ...screen })).stdout).toMatch(/^b +a\n/);
  });

  it('says after Ctrl-C what each request may have cost', async () => {
    const { env, home } = await scene();
    const stop = new AbortController();
    const onStdout = (text: string) => {
      if (text.includes('First')) stop.abort(new Error('stopped'));
    };
    const options = { env, home, onStdout, signal: stop.signal };
    const { stderr } = await run('chat -m a -m bad hi', options);
    expect(stderr).toContain('the interrupted request to a may have been');
    expect(stderr).not.toContain('error: a:');
  });
});
