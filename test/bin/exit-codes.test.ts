import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chunks, events, fakeKey, fakeService, json } from '../helpers/fake-service.js';
import { testFolder } from '../helpers/folder.js';
import { svc, type SpawnOptions } from './svc.js';

type Case = readonly [words: readonly string[], options?: SpawnOptions];

const balance = ['balance'];
const chat = ['chat', '-m', 'm', 'hi'];

/** What ends in each exit code. */
const cases: Record<number, () => Case | Promise<Case>> = {
  0: () => [['--local', 'balance']],
  2: () => [['--local', 'chat', '--temperature', '3', 'hi']],
  3: () => [['--local', 'chat', '-m', 'nope', 'hi']],
  4: async () => [balance, { env: (await fakeService(json({ error: 'no' }, 401))).env }],
  5: async () => [chat, { env: (await fakeService(json({ error: 'no' }, 402))).env }],
  6: () => [
    [...balance, '--timeout', '200ms'],
    { env: { SVC_BASE_URL: 'http://127.0.0.1:1', SVC_API_KEY: fakeKey } },
  ],
  7: async () => {
    const service = await fakeService(json({ error: 'no' }, 429, { 'retry-after': '60' }));
    return [[...balance, '--timeout', '9s'], { env: service.env }];
  },
  10: async () => {
    const service = await fakeService((_request, response) => response.socket?.destroy());
    return [chat, { env: service.env }];
  },
  11: () => {
    const file = join(testFolder(), 'mine');
    writeFileSync(file, 'mine');
    return [['--local', 'chat', '-o', file, 'hi']];
  },
  12: async () => [chat, { env: (await fakeService(events(chunks('half')))).env }],
  13: async () => {
    const service = await fakeService(json({ answers: { spam: { noul: 0.1 } } }));
    const file = join(testFolder(), 'questions.yaml');
    writeFileSync(file, 'spam:\n  type: noul\n  instructions: Is it spam?\n');
    const line = ['decide', '--state', 'x', '--questions', file, '--exit-on', 'spam=yes'];
    return [line, { env: service.env }];
  },
};

describe('the real svc', () => {
  it.each(Object.keys(cases))('ends with the exit code %s', async (code) => {
    const [words, options] = (await cases[Number(code)]?.()) ?? [[]];
    const result = await svc(words, options);
    expect(result).toMatchObject({ code: Number(code), signal: null });
    const isReported = ['0', '13'].includes(code)
      ? /^$/
      : /^error: [^\n]+\n(hint: [^\n]+\n)?(request id: \S+\n)?$/;
    expect(result.stderr).toMatch(isReported);
  });

  it('shows a stack trace when SVC_DEBUG is set, and only then', async () => {
    const words = ['--local', 'chat', '--schema', '/none', 'hi'];
    expect((await svc(words)).stderr).not.toMatch(/^ +at /m);
    expect((await svc(words, { env: { SVC_DEBUG: '1' } })).stderr).toMatch(/^ +at /m);
  });

  it('says héllo 🌍 exactly', async () => {
    const result = await svc(['--local', 'chat', '-m', 'local/echo'], { stdin: 'héllo 🌍\n' });
    expect(result).toEqual({ code: 0, signal: null, stdout: 'héllo 🌍\n', stderr: '' });
  });
});
