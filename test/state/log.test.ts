import { existsSync, readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { Log, type NewTurn } from '../../src/state/log.js';
import { pathsFrom, type Paths } from '../../src/state/paths.js';
import { StateDatabase, withoutWriting } from '../../src/state/database.js';
import { testFolder } from '../helpers/folder.js';
import * as z from 'zod/mini';

let paths: Paths;
beforeEach(() => {
  paths = pathsFrom({ SVC_CONFIG_DIR: testFolder() });
});

const turn = (question: string, more: Partial<NewTurn> = {}): NewTurn => ({
  account: { service: 'local:', keyHash: 'k' },
  parent: null,
  atMs: 1000,
  model: 'local/guide',
  format: 'chat',
  request: { system: 'be brief' },
  asked: [{ role: 'user', content: question }],
  answered: { role: 'assistant', content: `about ${question}` },
  question,
  answer: `about ${question}`,
  generationId: 'gen-1',
  priceRub: 0.5,
  inputTokens: 10,
  outputTokens: 20,
  ms: 300,
  finishReason: 'stop',
  isComplete: true,
  ...more,
});

const questions = (turns: readonly { asked: string }[]) =>
  turns.map(({ asked }) =>
    new Log(paths).content(z.array(z.string()).parse(JSON.parse(asked))[0] ?? ''),
  );

describe('the log', () => {
  it('creates nothing when it is read', () => {
    const log = new Log(paths);
    expect(log.turns({})).toEqual([]);
    expect(log.totals({}).turns).toBe(0);
    expect(log.conversation('c1')).toBeUndefined();
    expect(new StateDatabase(paths).all(z.unknown(), 'SELECT 1')).toEqual([]);
  });

  it('continues a conversation from its head, back along its parents', () => {
    const log = new Log(paths);
    const first = log.add(turn('tea'));
    const second = log.add(turn('milk', { parent: first.id, conversation: first.conversation }));
    expect(log.conversation('c1')).toMatchObject({ name: null, head: second.id, turns: 2 });
    expect(log.thread(second.id).map(({ id }) => id)).toEqual([first.id, second.id]);
    const branch = log.branch(first.id, 2000, 'other');
    const other = { id: branch, name: 'other', head: first.id, turns: 0, question: 'tea' };
    expect(log.conversation('other')).toEqual({ ...other, changedAtMs: 2000 });
    const third = log.add(turn('sugar', { parent: first.id, conversation: branch }));
    expect(log.thread(third.id).map(({ id }) => id)).toEqual([first.id, third.id]);
    expect(log.conversations(1)).toMatchObject([{ id: branch }]);
    expect(log.conversations(9, 'elsewhere')).toEqual([]);
  });

  it('stores equal contents once', () => {
    const log = new Log(paths);
    for (let nth = 0; nth < 5; nth += 1) log.add(turn('tea'));
    const contents = new StateDatabase(paths).all(
      z.object({ hash: z.string() }),
      'SELECT hash FROM contents',
    );
    expect(contents).toHaveLength(3);
    expect(questions(log.turns({}, 1))).toEqual([{ role: 'user', content: 'tea' }]);
  });

  it.each([
    ['tax', ['tax return', 'Tax  and "quotes"']],
    ['ret', ['tax return']],
    ['TAX ret', ['tax return']],
    ['"quotes"', ['Tax  and "quotes"']],
    ['налог', ['Налоговый вычет']],
    ['tax) OR (x', []],
    ['* NEAR', []],
  ])('finds the words %s', (words, found) => {
    const log = new Log(paths);
    for (const one of ['tax return', 'Tax  and "quotes"', 'Налоговый вычет']) log.add(turn(one));
    const contents = questions(log.turns({ words })).map((content) => JSON.stringify(content));
    expect(contents.length).toBe(found.length);
    for (const one of found) expect(contents.join()).toContain(JSON.stringify(one).slice(1, -1));
  });

  it('adds up what the turns of a filter cost', () => {
    const log = new Log(paths);
    log.add(turn('tea'));
    log.add(turn('tea two', { model: 'other', atMs: 5000, priceRub: null }));
    const { id } = log.add(turn('milk', { atMs: 9000, priceRub: null }));
    log.setPrice(id, 2);
    expect(log.totals({})).toEqual({
      turns: 3,
      inputTokens: 30,
      outputTokens: 60,
      priceRub: 2.5,
      unknownPrices: 1,
    });
    expect(log.totals({ words: 'tea' })).toMatchObject({ turns: 2, priceRub: 0.5 });
    expect(log.totals({ model: 'other' })).toMatchObject({
      turns: 1,
      unknownPrices: 1,
      priceRub: 0,
    });
    expect(log.totals({ sinceMs: 6000 })).toMatchObject({ turns: 1, priceRub: 2 });
  });

  it('tells the turns of a program from those of people', () => {
    const log = new Log(paths);
    const own = log.add(turn('tea'));
    const { id } = log.add(turn('tea for the agent', { program: 'codex' }));
    expect(log.turns({ program: 'codex' })).toMatchObject([{ id, program: 'codex' }]);
    expect(log.turns({ words: 'tea' }).map(({ program }) => program)).toEqual(['codex', null]);
    expect(log.totals({ program: 'codex' }).turns).toBe(1);
    expect(log.latest('local:')).toMatchObject({ id: own.conversation });
    expect(log.latest('elsewhere')).toBeUndefined();
    expect(log.delete({ program: 'codex' })).toBe(1);
    expect(log.turns({}).map(({ id }) => id)).toEqual([own.id]);
  });

  it('is read where an older svc has written it, without a change', () => {
    const log = new Log(paths);
    log.add(turn('tea'));
    const database = new StateDatabase(paths);
    database.exec('ALTER TABLE turns DROP COLUMN program');
    const read = () => [log.turns({}).length, log.conversations(9, 'local:').length];
    expect(withoutWriting(paths, read)).toEqual([1, 1]);
  });

  it('continues the conversation of a program once a person has', () => {
    const log = new Log(paths);
    log.add(turn('tea'));
    const { id, conversation } = log.add(turn('milk', { program: 'codex' }));
    log.add(turn('sugar', { conversation, parent: id }));
    expect(log.latest('local:')).toMatchObject({ id: conversation });
  });

  describe('when turns are deleted', () => {
    const bytesOnDisk = () => {
      const path = new Log(paths).path;
      const files = [path, `${path}-wal`].filter((one) => existsSync(one));
      return Buffer.concat(files.map((one) => readFileSync(one))).toString('latin1');
    };
    const add = (question: string, after?: { id: number; conversation: number }, atMs = 1) => {
      const place = { conversation: after?.conversation, parent: after?.id ?? null };
      return new Log(paths).add(turn(question, { ...place, atMs }));
    };

    it('leaves nothing of them in the file', () => {
      const log = new Log(paths);
      const first = add('the password is xyzzyplugh');
      add('tea', first);
      expect(bytesOnDisk()).toContain('xyzzyplugh');
      expect(log.delete({ id: first.id })).toBe(1);
      expect(bytesOnDisk()).not.toContain('xyzzyp');
      expect(log.turns({ words: 'xyzzyplugh' })).toEqual([]);
      expect(questions(log.turns({ words: 'tea' }))).toHaveLength(1);
      expect(log.delete({})).toBe(1);
      const left = new StateDatabase(paths).all(z.unknown(), 'SELECT * FROM contents');
      expect([left, log.conversations(9)]).toEqual([[], []]);
    });

    it('lets later turns and branches follow the turn before', () => {
      const log = new Log(paths);
      const one = add('one');
      const two = add('two', one);
      const three = add('three', two);
      const four = add('four', three);
      const branch = log.branch(three.id, 1);
      expect(log.delete({ id: two.id })).toBe(1);
      expect(log.delete({ id: three.id })).toBe(1);
      expect(log.thread(four.id).map(({ id }) => id)).toEqual([one.id, four.id]);
      expect(log.conversation(`c${branch}`)?.head).toBe(one.id);
      expect(log.delete({ conversation: one.conversation })).toBe(2);
      expect(log.conversations(9)).toEqual([]);
    });

    it('starts a cut conversation with the first turn that is left', () => {
      const log = new Log(paths);
      let last: ReturnType<typeof add> | undefined;
      for (const atMs of [1, 2, 3, 4]) last = add('tea', last, atMs);
      expect(log.delete({ beforeMs: 3 })).toBe(2);
      expect(log.thread(last?.id ?? 0).map(({ atMs }) => atMs)).toEqual([3, 4]);
      expect(questions(log.turns({}))).toHaveLength(2);
    });
  });
});
