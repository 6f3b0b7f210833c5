import { afterEach, describe, expect, test, vi } from 'vitest';
import { attacks, liveIn, stage } from './screens.js';
import { readable, takeApart } from './styled.js';

const text = '# A\n*b*\n';

test('a terminal shows Markdown with styles', async () => {
  const { out, stdout } = stage();
  const sink = await out.markdown();
  await sink.write('# A\n*b');
  await sink.write('*');
  await sink.end();
  expect(stdout.text).toBe('\u001b[1m# A\u001b[22m\n\u001b[3m*b\u001b[23m\u001b[3m*\u001b[23m');
});

describe('no style, and nothing that makes one, is there', () => {
  afterEach(() => {
    vi.doUnmock('../../src/terminal/markdown.js');
  });
  const broken = () => {
    throw new Error('loaded');
  };

  test.each([
    ['on a pipe', { tty: false }],
    ['on a pipe where colours are forced', { tty: false, env: { FORCE_COLOR: '1' } }],
    ['under NO_COLOR', { env: { NO_COLOR: '1' } }],
  ])('%s', async (_, options) => {
    vi.doMock('../../src/terminal/markdown.js', broken);
    const { out, stdout } = stage(options);
    const sink = await out.markdown();
    await sink.write(text);
    await sink.end();
    expect(stdout.text).toBe(text);
  });
});

test.each(attacks)(
  '%s in Markdown reaches no terminal, whole or cut anywhere',
  async (_, attack) => {
    for (let at = 0; at <= attack.length; at++) {
      const { out, stdout } = stage();
      const sink = await out.markdown();
      await sink.write(`**${attack.slice(0, at)}`);
      await sink.write(`${attack.slice(at)}**\n\`\`\`${attack}\n${attack}`);
      await sink.end();
      expect(liveIn(takeApart(stdout.text).text)).toEqual([]);
    }
  },
);

describe('between pieces of Markdown on one screen', () => {
  test('reasoning stands on lines of its own, in no style of theirs', async () => {
    const { out, stdout } = stage({ shared: true });
    const sink = await out.markdown();
    out.aside('Hm');
    await sink.write('**a');
    out.aside('so');
    await sink.write('b** `c');
    out.note('note');
    await sink.end();
    expect(readable(stdout.text)).toBe('⟨d:Hm⟩\n⟨b:**a⟩\n⟨d:so⟩\n⟨b:b**⟩ ⟨c:`c⟩\nnote\n');
  });
});
