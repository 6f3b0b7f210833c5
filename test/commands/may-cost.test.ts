import { expect, it } from 'vitest';
import { Interrupted } from '../../src/cli/main.js';
import { long } from './speak/book.js';
import { talker } from './speak/talker.js';

const words = 'what was under way may have been charged: `svc usage list` shows it\n';

it.each([
  ['one piece', 'hi'],
  ['several pieces', long],
])('tells a person who interrupts the first of %s that it may cost', async (_, text) => {
  const at = await talker();
  const interrupt = new AbortController();
  at.instead = () => {
    interrupt.abort(new Interrupted('SIGINT'));
    return true;
  };
  const line = ['speak', '-m', 'vendor/voice', '-o', at.path('a.wav'), text];
  const result = await at.svc(line, { signal: interrupt.signal });
  expect(result.code).toBe(130);
  expect(result.stderr).toContain(words);
});

it('says nothing of it where nobody interrupts', async () => {
  const at = await talker();
  at.instead = (_request, response) => {
    response.writeHead(400).end();
    return true;
  };
  const result = await at.svc(['speak', '-m', 'vendor/voice', '-o', at.path('a.wav'), 'hi']);
  expect(result.code).toBe(3);
  expect(result.stderr).not.toContain(words);
});
