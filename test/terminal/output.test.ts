import { describe, expect, test, vi } from 'vitest';
import { TerminalOutput } from '../../src/terminal/output.js';
import { attacks, liveIn, stage } from './screens.js';
import { readable, unstyled } from './styled.js';

const columns = [{ title: 'name' }, { title: 'what' }];

describe.each(attacks)('%s', (_, text) => {
  test.each(['', '1'])('reaches no terminal, with colours and AI_AGENT=%s', async (AI_AGENT) => {
    const env = { FORCE_COLOR: '1', AI_AGENT };
    const { out, stdout, stderr } = stage({ shared: true, env });
    await out.line(text);
    await out.json({ [text]: text });
    await out.jsonLine([text]);
    await out.table(columns, [[text, text]]);
    await out.noteTable(columns, [[text, text]]);
    await out.fields([[text, text]]);
    for (const say of ['note', 'dim', 'aside', 'warn', 'sentence'] as const) out[say](text);
    out.error(text, 'error:');
    await out.flush();
    expect(stdout).not.toBe(stderr);
    // The colours of svc itself are all that may be left.
    expect(liveIn(stdout.text.replace(/\u001b\[(1|2|22|3[1236]|39)m/g, ''))).toEqual([]);
  });

  test('reaches no terminal as a piece of a line, nor as the target of a link', async () => {
    const { out, stdout } = stage({ env: { FORCE_COLOR: '1', FORCE_HYPERLINK: '1' } });
    await out.spans([
      { text, look: 'bold', link: text },
      { text, look: 'dim', link: `https://example.com/${text}` },
    ]);
    const ours = /\u001b\[(1|2|22)m|\u001b\]8;;[\u0021-\u007e]*\u001b\\/g;
    expect(stdout.text).toContain('\u001b]8;;https://example.com/');
    expect(liveIn(stdout.text.replace(ours, ''))).toEqual([]);
  });

  test('in Markdown reaches no terminal, whole or cut anywhere', async () => {
    for (let at = 0; at <= text.length; at++) {
      const { out, stdout } = stage();
      const sink = await out.markdown();
      await sink.write(`**${text.slice(0, at)}`);
      await sink.write(`${text.slice(at)}**\n\`\`\`${text}\n${text}`);
      await sink.end();
      expect(liveIn(unstyled(stdout.text))).toEqual([]);
    }
  });

  test('reaches a pipe byte for byte', async () => {
    const { out, stdout, stderr } = stage({ tty: false });
    await out.text(text);
    await out.line(text);
    await out.bytes(Buffer.from(text));
    await out.jsonLine(text);
    out.aside(text);
    out.error(text);
    expect(stdout.text).toBe(`${text}${text}\n${text}${JSON.stringify(text)}\n`);
    expect(stderr.text).toBe(`${text}\n${text}\n`);
  });
});

test.each(['', '1'])(
  'a whole Markdown text is one write of whole lines, with NO_COLOR=%s',
  async (NO_COLOR) => {
    // A spinner writes over the start of a line that is not ended.
    const { out, stdout } = stage({ env: NO_COLOR ? { NO_COLOR } : { FORCE_COLOR: '1' } });
    const write = vi.spyOn(stdout, '_write');
    await out.markdownLines('a *short* list\n\n- one');
    await out.flush();
    expect(write).toHaveBeenCalledTimes(1);
    expect(unstyled(stdout.text)).toMatch(/^a \*?short\*? list\n\n.*one\n$/);
  },
);

describe('words for people', () => {
  const quiet = 'warning: careful\nwrong\n';
  const onStderr = { stdout: false, stderr: true };

  test.each([
    ['each on its line', { tty: false }, 'a note\ndim\naside\nwarning: careful\nwrong\n'],
    ['only warnings and errors under --quiet', { tty: false, quiet: true }, quiet],
    ['in colour on a terminal', { tty: onStderr, quiet: true }, '⟨y:warning:⟩ careful\nwrong\n'],
    ['without colour under NO_COLOR', { quiet: true, env: { NO_COLOR: '1' } }, quiet],
  ])('go to stderr, %s', async (_, options, words) => {
    const { out, stdout, stderr } = stage(options);
    out.note('a note');
    out.dim('dim');
    out.aside('aside');
    out.warn('careful');
    out.error('wrong');
    (await out.spinner('working')).stop();
    await out.text('data\n');
    expect(stdout.text).toBe('data\n');
    expect(readable(stderr.text)).toBe(words);
  });

  test.each([{}, { tty: false, env: { FORCE_COLOR: '1' } }])(
    'have labels in colour with %j, and harmless text',
    async (options) => {
      const { out, stderr } = stage(options);
      out.error('wrong \u001b[31m', 'error:');
      out.error('svc login', 'hint:');
      expect(readable(stderr.text)).toBe('⟨r:error:⟩ wrong ␛[31m\n⟨d:hint:⟩ svc login\n');
    },
  );

  test('are wrapped on a terminal below their label, and never within a command', async () => {
    const sentence = 'one two three four five six seven; run `svc jobs list --all` for more';
    const env = { NO_COLOR: '1' };
    const [narrow, pipe] = [stage({ env }), stage({ env, tty: false })];
    narrow.stderr.columns = 40;
    for (const { out } of [narrow, pipe]) {
      out.error(sentence, 'error:');
      out.note(`${sentence}\n  ${sentence}`);
      out.error('{"a": "one two three four five six seven eight"}');
      out.sentence(sentence);
    }
    const json = '{"a": "one two three four five six seven eight"}\n';
    const error = ['one two three four five six', 'seven; run `svc jobs list --all`', 'for more'];
    const lines = 'one two three four five six seven; run\n`svc jobs list --all` for more\n';
    expect(narrow.stderr.text).toBe(
      `error: ${error.join('\n       ')}\n${lines}  ${sentence}\n${json}${lines}`,
    );
    expect(pipe.stderr.text).toBe(
      `error: ${sentence}\n${sentence}\n  ${sentence}\n${json}${sentence}\n`,
    );
  });
});

test('reasoning and text on one screen keep their order, each on lines of its own', async () => {
  const { out, stdout } = stage({ shared: true, env: { NO_COLOR: '1' } });
  out.aside('Hm, ');
  out.aside('so.');
  await out.text('Yes');
  await out.text('!');
  out.aside('Wait.');
  await out.text('No.\n');
  out.aside('Done.\n');
  await out.text('Bye');
  out.warn('slow');
  out.aside('So.');
  out.note('cheap');
  const lines = 'Hm, so.\nYes!\nWait.\nNo.\nDone.\nBye\nwarning: slow\nSo.\ncheap\n';
  expect(stdout.text).toBe(lines);
});

describe('JSON', () => {
  const value = { 'a"b': ['x: "1"', -1.5e300, true, null], c: {} };

  test('has colours on a terminal, by what each token is', async () => {
    const { out, stdout } = stage();
    await out.jsonLine(value);
    const list = ['⟨g:"x: \\"1\\""⟩', '⟨y:-1.5e+300⟩', '⟨y:true⟩', '⟨y:null⟩'];
    expect(readable(stdout.text)).toBe(`{⟨c:"a\\"b"⟩:[${list.join(',')}],⟨c:"c"⟩:{}}\n`);
  });

  test('is the same under the colours, whole or written in pieces', async () => {
    const { out, stdout } = stage();
    await out.json(value);
    await out.jsonText('{"d": [\n1,');
    await out.jsonText(`"${'\\n'.repeat(2_000_000)}"]}`);
    const bare = stdout.text.replace(/\u001b\[\d+m/g, '');
    expect(bare).toMatch(/^\{\n {2}"a\\"b": \[\n {4}"x: \\"1\\"",\n/);
    expect(JSON.parse(`[${bare.replace('}\n{', '},{')}]`)).toEqual([value, expect.anything()]);
  });

  test.each([
    ['in a pipe, whatever FORCE_COLOR says', { tty: false, env: { FORCE_COLOR: '1' } }],
    ['on a terminal under NO_COLOR', { env: { NO_COLOR: '1' } }],
  ])('is bare %s', async (_, options) => {
    const { out, stdout } = stage(options);
    await out.jsonLine(value);
    expect(stdout.text).toBe(`${JSON.stringify(value)}\n`);
  });
});

test.each([
  [true, '\u001b[1mname  what\u001b[22m\none   a b c\ntwo\n'],
  [false, 'one\ta b c\ntwo\t\n'],
])(
  'a table has titles on a terminal alone (%s), and is nothing without rows',
  async (tty, drawn) => {
    const { out, stdout } = stage({ tty });
    await out.table(columns, []);
    expect(stdout.text).toBe('');
    await out.table(columns, [
      ['one', 'a\tb\nc'],
      ['two', ''],
    ]);
    expect(stdout.text).toBe(drawn);
  },
);

test.each([
  [undefined, 80],
  [0, 80],
  [40, 40],
])('a terminal that says it has %j columns has %i', (width, known) => {
  const { out, stdout } = stage();
  stdout.columns = width;
  expect(out.columns).toBe(known);
});

test('what is said while a program has the terminal comes after it, and not without bounds', async () => {
  const { out, stderr } = stage();
  const release = out.hold();
  out.note('first');
  out.warn('second');
  for (let n = 0; n < 1000; n += 1) out.error('x'.repeat(1000));
  await out.flush();
  expect(stderr.text).toBe('');
  release();
  expect(unstyled(stderr.text)).toMatch(/^first\nwarning: second\nx{1000}\n/);
  expect(stderr.text.length).toBeLessThan(70_000);
  out.note('later');
  expect(stderr.text).toMatch(/later\n$/);
});

test('a terminal that a killed program has left is put back, also where it is raw', async () => {
  const { out, stderr } = stage();
  out.hold()(true);
  out.note('was stopped');
  await out.flush();
  // The main screen, the cursor, no mouse, no pasted brackets and the usual keys.
  for (const part of ['?1047l', '?25h', '?1003l', '?2004l', '<u'])
    expect(stderr.text).toContain(`\u001b[${part}`);
  expect(stderr.text).toMatch(/was stopped\r\n$/);
  const { out: dumb, stderr: shown } = stage({ env: { TERM: 'dumb' } });
  dumb.hold()(true);
  dumb.note('was stopped');
  await dumb.flush();
  expect(shown.text).toBe('was stopped\r\n');
});

test('nothing is held back from a pipe, which a program does not draw on', () => {
  const { out, stderr } = stage({ tty: { stdout: true, stderr: false } });
  out.hold();
  out.note('at once');
  expect(stderr.text).toBe('at once\n');
});

test('a stream that is not needed is not opened', async () => {
  const streams = {
    get stdout(): never {
      throw new Error('opened');
    },
    get stderr(): never {
      throw new Error('opened');
    },
  };
  const out = new TerminalOutput({
    streams,
    env: {},
    quiet: true,
    onStdoutFailure: () => undefined,
  });
  out.note('x');
  out.aside('x');
  await expect(out.flush()).resolves.toBeUndefined();
});
