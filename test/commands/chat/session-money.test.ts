import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { chunks, fakeService, json } from '../../helpers/fake-service.js';
import { testFolder } from '../../helpers/folder.js';
import { run } from '../../helpers/run.js';
import { ctrlC, ctrlD, says, served } from './session-scene.js';

it('svc chat -i counts the search of a question that failed, and pays for it once', async () => {
  const found = json({ results: [], cost_rub: 0.3 });
  const broke = json({ error: { message: 'no money', code: 'insufficient_balance' } }, 402);
  const { bodies, talk } = await served(found, broke, broke, says('one'));
  const typed = ['/search exit codes', 'what?', '/cost', '/retry', 'what?', '/cost'];
  const { stderr, home } = await talk(typed);
  expect(stderr.match(/session .* conversation [^\r\n]*/g)).toEqual([
    'session 0.30 RUB · conversation 0.30 RUB',
    'session at least 0.30 RUB · conversation at least 0.30 RUB',
  ]);
  expect(bodies().filter((one) => 'query' in one)).toHaveLength(1);
  const { stdout } = await run('logs --sum --json', { home });
  expect(JSON.parse(stdout)).toMatchObject({ turns: 2, cost: { priceRub: 0.3 }, unknownPrices: 1 });
});

it('svc chat -i does not call the price of a question known that a page answered', async () => {
  const found = json({ results: [], cost_rub: 0.3 });
  const { talk } = await served(found, (_request, response) => response.writeHead(500).end('<p>'));
  const { home, stderr } = await talk(['/search exit codes', 'what?', '/cost']);
  expect(stderr).toContain('session at least 0.30 RUB');
  expect(stderr).toContain('this session cost at least 0.30 RUB');
  const { stdout } = await run('logs --sum --json', { home });
  expect(JSON.parse(stdout)).toMatchObject({ turns: 1, cost: { priceRub: 0.3 }, unknownPrices: 1 });
});

it('svc chat -i says in the language of the user that a price is not known', async () => {
  const found = json({ results: [], cost_rub: 0.3 });
  const { talk } = await served(found, (_request, response) => response.writeHead(500).end('<p>'));
  const env = { SVC_LANG: 'ru' };
  const { stderr } = await talk(['/search exit codes', 'what?', '/cost'], { env });
  const cost = 'не меньше 0,30\u00a0₽';
  expect(stderr).toContain(`сеанс ${cost} · диалог ${cost}`);
  expect(stderr).toContain(`сеанс стоил ${cost}`);
});

it('svc chat -i learns later what an answer has cost that Ctrl-C stopped', async () => {
  let hasPrice = false;
  const service = await fakeService((request, response) => {
    if (request.method !== 'POST') {
      const price = hasPrice ? json({ priceRub: 0.7, balance_rub: 5 }) : json({}, 404);
      price(request, response);
      return;
    }
    const id = { 'x-svc-generation-id': 'gen_1' };
    response.writeHead(200, { 'content-type': 'text/event-stream', ...id });
    response.write(chunks('Hello'));
  });
  const stdin = new PassThrough();
  const stop = (text: string) => text.includes('Hello') && stdin.write(ctrlC);
  const { stderr } = await run('chat -i -m v', {
    ...{ tty: true, env: service.env, stdin, columns: 90, onStdout: stop },
    onStderr: (text) => {
      if (text.includes('/help')) setImmediate(() => stdin.write('hi\r'));
      if (text.includes('may have been charged')) {
        hasPrice = true;
        setImmediate(() => stdin.write(`/cost\r${ctrlD}`));
      }
    },
  });
  expect(stderr).toContain('session 0.70 RUB · conversation 0.70 RUB · balance 5.00 RUB');
});

it('svc chat -i sends nothing when the editor leaves the question as it was, or empty', async () => {
  const { bodies, talk } = await served(says('one'), says('two'));
  const empty = join(testFolder(), 'empty.sh');
  writeFileSync(empty, '#!/bin/sh\n: > "$1"\n', { mode: 0o755 });
  for (const EDITOR of ['true', empty]) {
    const { stderr } = await talk(['ask', '/edit'], { env: { EDITOR } });
    expect(stderr).toContain('nothing changed; not sent');
  }
  expect(bodies()).toHaveLength(2);
});

it('svc chat -i does not call the price known of a question that Ctrl-C stopped after its search', async () => {
  const home = testFolder();
  const stdin = new PassThrough();
  const service = await fakeService((request, response) => {
    if (request.url.includes('search')) json({ results: [], cost_rub: 0.3 })(request, response);
    else if (request.method === 'POST') stdin.write(ctrlC);
    else json({}, 404)(request, response);
  });
  const { stderr } = await run('chat -i -m v', {
    ...{ tty: true, home, env: service.env, stdin, columns: 90 },
    onStderr: (text) => {
      if (text.includes('/help')) setImmediate(() => stdin.write('/search exit codes\rwhat?\r'));
      if (text.includes('may have been charged')) setImmediate(() => stdin.write(ctrlD));
    },
  });
  expect(stderr).toContain('this session cost at least 0.30 RUB');
  const { stdout } = await run('logs --sum --json', { home });
  expect(JSON.parse(stdout)).toMatchObject({ turns: 1, cost: { priceRub: 0.3 }, unknownPrices: 1 });
});
