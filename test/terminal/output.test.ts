import { describe, expect, test } from 'vitest';
import { attacks, liveIn, stage } from './screens.js';
import { takeApart } from './styled.js';

const columns = [{ title: 'name' }, { title: 'what' }];

describe.each(attacks)('%s', (_, text) => {
  test.each(['', '1'])('reaches no terminal, with colours and AI_AGENT=%s', async (AI_AGENT) => {
    const env = { FORCE_COLOR: '1', AI_AGENT };
    const { out, stdout, stderr } = stage({ shared: true, env });
    await out.line(text);
    await out.json({ [text]: text });
    await out.jsonLine([text]);
    await out.table(columns, [[text, text]]);
    await out.fields([[text, text]]);
    out.note(text);
    out.dim(text);
    out.aside(text);
    out.warn(text);
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
    await out.flush();
    const ours = /\u001b\[(1|2|22)m|\u001b\]8;;[\u0021-\u007e]*\u001b\\/g;
    expect(stdout.text).toContain('\u001b]8;;https://example.com/');
    expect(liveIn(stdout.text.replace(ours, ''))).toEqual([]);
  });

  test('reaches a pipe byte for byte', async () => {
    const { out, stdout, stderr } = stage({ tty: false });
    await out.text(text);
    await out.line(text);
    await out.bytes(Buffer.from(text));
    await out.jsonLine(text);
    out.aside(text);
    out.error(text);
    await out.flush();
    expect(stdout.text).toBe(`${text}${text}\n${text}${JSON.stringify(text)}\n`);
    expect(stderr.text).toBe(`${text}\n${text}\n`);
  });
});

describe('words for people', () => {
  const sayAll = async (options: Parameters<typeof stage>[0]) => {
    const { out, stdout, stderr } = stage(options);
    out.note('a note');
    out.dim('dim');
    out.aside('aside');
    out.warn('careful');
    out.error('wrong');
    (await out.spinner('working')).stop();
    await out.text('data\n');
    await out.flush();
    expect(stdout.text).toBe('data\n');
    return stderr.text;
  };

  test('go to stderr, each on its line', async () => {
    expect(await sayAll({ tty: false })).toBe('a note\ndim\naside\nwarning: careful\nwrong\n');
  });

  test('are only warnings and errors under --quiet', async () => {
    expect(await sayAll({ tty: false, quiet: true })).toBe('warning: careful\nwrong\n');
    expect(await sayAll({ quiet: true, env: { NO_COLOR: '1' } })).toBe('warning: careful\nwrong\n');
  });

  test('have colours on a terminal', async () => {
    expect(await sayAll({ tty: { stdout: false, stderr: true }, quiet: true })).toBe(
      '\u001b[33mwarning:\u001b[39m careful\nwrong\n',
    );
  });

  test.each([
    ['a terminal', true, {}],
    ['a pipe under FORCE_COLOR', false, { FORCE_COLOR: '1' }],
  ])('have labels in colour on %s, and harmless text', async (_, tty, env) => {
    const { out, stderr } = stage({ tty, env });
    out.error('wrong \u001b[31m', 'error:');
    out.error('svc login', 'hint:');
    await out.flush();
    expect(stderr.text).toBe(
      '\u001b[31merror:\u001b[39m wrong ␛[31m\n\u001b[2mhint:\u001b[22m svc login\n',
    );
  });

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
      await out.flush();
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

  test.each([
    ['NO_COLOR', { NO_COLOR: '1' }],
    ['NO_COLOR, which wins', { NO_COLOR: '1', FORCE_COLOR: '1' }],
    ['FORCE_COLOR=0', { FORCE_COLOR: '0' }],
  ])('have none under %s', async (_, env) => {
    const { out, stdout, stderr } = stage({ env });
    out.dim('dim');
    out.aside('aside');
    out.warn('careful');
    out.error('wrong', 'error:');
    await out.jsonLine({ a: 1 });
    await out.flush();
    expect(stderr.text).toBe('dim\naside\nwarning: careful\nerror: wrong\n');
    expect(stdout.text).toBe('{"a":1}\n');
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
  await out.flush();
  const lines = 'Hm, so.\nYes!\nWait.\nNo.\nDone.\nBye\nwarning: slow\nSo.\ncheap\n';
  expect(stdout.text).toBe(lines);
});

describe('JSON', () => {
  const value = { 'a"b': ['x: "1"', -1.5e300, true, null], c: {} };

  test('has colours on a terminal, by what each token is', async () => {
    const { out, stdout } = stage();
    await out.jsonLine(value);
    const key = (text: string) => `\u001b[36m${text}\u001b[39m:`;
    const string = '\u001b[32m"x: \\"1\\""\u001b[39m';
    const others = ['-1.5e+300', 'true', 'null'].map((text) => `\u001b[33m${text}\u001b[39m`);
    const list = [string, ...others].join(',');
    expect(stdout.text).toBe(`{${key('"a\\"b"')}[${list}],${key('"c"')}{}}\n`);
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

  test('is data in a pipe: it stays bare whatever FORCE_COLOR says', async () => {
    const { out, stdout } = stage({ tty: false, env: { FORCE_COLOR: '1' } });
    await out.jsonLine(value);
    expect(stdout.text).toBe(`${JSON.stringify(value)}\n`);
  });
});

describe('a table', () => {
  const rows = [
    ['one', 'a\tb\nc'],
    ['two', ''],
  ];

  test.each([
    [true, '\u001b[1mname  what\u001b[22m\none   a b c\ntwo\n'],
    [false, 'one\ta b c\ntwo\t\n'],
  ])('has titles on a terminal alone (%s), and without rows is nothing', async (tty, shown) => {
    const { out, stdout } = stage({ tty });
    await out.table(columns, []);
    expect(stdout.text).toBe('');
    await out.table(columns, rows);
    expect(stdout.text).toBe(shown);
  });
});

test.each([
  [undefined, 80],
  [0, 80],
  [40, 40],
])('a terminal that says it has %j columns has %i', (columns, known) => {
  const { out, stdout } = stage();
  stdout.columns = columns;
  expect(out.columns).toBe(known);
});

test('a stream that is not needed is not opened', async () => {
  const { TerminalOutput } = await import('../../src/terminal/output.js');
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
