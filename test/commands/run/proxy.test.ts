import { expect, it } from 'vitest';
import { Interrupted } from '../../../src/errors.js';
import { fails, run, type RunOptions } from '../../helpers/run.js';

/** Runs svc proxy while `during` uses its address and the variables that it shows. */
async function proxied(
  line: string,
  during: (variables: Readonly<Record<string, string>>) => Promise<unknown>,
  options: RunOptions = {},
) {
  const interrupt = new AbortController();
  let shown = '';
  let failure: unknown;
  let isBegun = false;
  const onStderr = (text: string) => {
    shown += text;
    if (isBegun || !shown.includes('SVC_API_KEY=')) return;
    isBegun = true;
    const variables: Record<string, string> = {};
    for (const [, name = '', value = ''] of shown.matchAll(/^ {2}(\w+)=(.*)$/gm))
      variables[name] = value;
    during(variables)
      .catch((error: unknown) => (failure = error))
      .finally(() => setImmediate(() => interrupt.abort(new Interrupted('SIGINT'))));
  };
  const ended = await run(`--local ${line} --port 0`, {
    ...options,
    signal: interrupt.signal,
    onStderr,
  });
  expect(failure).toBeUndefined();
  const [, log = ''] = /SVC_API_KEY=.*\n([^]*)$/.exec(ended.stderr) ?? [];
  return { ...ended, log: log.replace(/^\d\d:\d\d:\d\d/gm, 'TIME').replace(/ +\d+ ms/g, ' N ms') };
}

const asked = (variables: Readonly<Record<string, string>>, key = variables['OPENAI_API_KEY']) =>
  fetch(`${variables['OPENAI_BASE_URL']}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'local/echo',
      messages: [{ role: 'user', content: 'hi' }],
      max_tokens: 5,
    }),
  }).then((response) => response.status);

it('shows its address on stdout, each request with model, tokens and price, and all at the end', async () => {
  const { log, stdout } = await proxied('proxy', async (variables) => {
    expect(await asked(variables, 'sk-other')).toBe(401);
    expect(await asked(variables)).toBe(200);
  });
  expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/);
  expect(log.split('\n').slice(0, 3)).toEqual([
    'TIME  POST    401 N ms                /v1/chat/completions',
    'TIME  POST    200 N ms   0.00004 RUB  /v1/chat/completions  local/echo · 1 in · 1 out',
    'svc proxy: 2 requests, 1 of which was refused, for 0.00004 RUB',
  ]);
  expect(log).toMatch(/\nMODEL .*\nlocal\/echo +1 /);
});

it('says that there were no requests', async () => {
  const { log } = await proxied('proxy', () => Promise.resolve());
  expect(log).toBe('svc proxy: no requests\n');
});

it('takes the key of SVC_PROXY_KEY, which an editor can keep, and none that is short', async () => {
  const key = 'an-editor-keeps-this-key';
  const env = { SVC_PROXY_KEY: key };
  const { stderr } = await proxied('proxy', (variables) => asked(variables, key), { env });
  expect(stderr).toContain(`OPENAI_API_KEY=${key}\n`);
  const short = run('--local proxy --port 0', { env: { SVC_PROXY_KEY: 'short' } });
  expect(await short).toMatchObject(fails(2, 'SVC_PROXY_KEY'));
});
