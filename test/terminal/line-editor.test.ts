import { EventEmitter, once } from 'node:events';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, test } from 'vitest';
import { folded } from '../../src/lib/names.js';
import { LineEditor } from '../../src/terminal/line-editor.js';
import { Emulator } from './emulator.js';

const [enter, up, down, left] = ['\r', '\u001b[A', '\u001b[B', '\u001b[D'];
const key = (letter: string) => String.fromCharCode(letter.charCodeAt(0) - 64);
const pasted = (text: string) => `\u001b[200~${text}\u001b[201~`;

interface EditorSetup {
  columns?: number;
  history?: readonly string[];
  names?: readonly string[];
  /** Completions of /load. */
  rows?: readonly string[];
  env?: Record<string, string>;
}

const open: LineEditor[] = [];
afterEach(() => {
  for (const editor of open.splice(0)) editor.close();
});

function openEditor({
  columns = 40,
  history = [],
  names = [],
  rows = [],
  env = {},
}: EditorSetup = {}) {
  const stdin = new PassThrough();
  const terminal = new Emulator(columns, 12);
  /** Its lines, with ▏ before the cursor. */
  const screen = () => terminal.lines('▏', false).join('\n').trimEnd();
  const abort = new AbortController();
  const all = [
    ...names.map((text) => ({ text })),
    ...rows.map((row) => ({ text: `/load ${row.slice(0, 2)}`, row })),
  ];
  const complete = async (before: string) =>
    all.filter(({ text }) => folded(text).startsWith(folded(before)));
  const editor = new LineEditor({ stdin, stderr: terminal }, abort.signal, {
    env,
    history,
    complete,
  });
  const settle = async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    await terminal.show('');
  };
  const press = async (...keys: string[]) => {
    for (const one of keys) {
      stdin.write(one);
      await settle();
    }
    return screen();
  };
  open.push(editor);
  return { editor, terminal, screen, stdin, press, abort, settle };
}

/** What Enter returns after these keys. */
async function typing(keys: string, setup?: EditorSetup) {
  const { editor, stdin } = openEditor(setup);
  const text = editor.read();
  stdin.write(`${keys}${enter}`);
  return text;
}

describe('a text', () => {
  test.each([
    ['typed', 'hello', 'hello'],
    ['with letters put in before others', `ac${left}b`, 'abc'],
    ['with words added at its start and end', `b${key('A')}a ${key('E')} c`, 'a b c'],
    ['cut after the cursor', `keep drop${left.repeat(5)}${key('K')}`, 'keep'],
    ['cut before the cursor', `drop keep${left.repeat(4)}${key('U')}`, 'keep'],
    ['without its last word', `one two${key('W')}`, 'one '],
    ['with the cut words back', `two${key('U')}one ${key('Y')}`, 'one two'],
    ['cleared by Ctrl-C', `wrong${key('C')}right`, 'right'],
    ['that goes on after a backslash', `one\\${enter}two`, 'one\ntwo'],
    ['that goes on after Ctrl-J', `one${key('J')}two`, 'one\ntwo'],
    ['between three quotes', `"""${enter}one${enter}two${enter}"""`, 'one\ntwo'],
    ['pasted with its lines', pasted('one\r\ntwo\\\nthree\n'), 'one\ntwo\\\nthree'],
    ['pasted with a tab and an escape sequence', pasted('a\tb\u001b[31mc'), 'a\tb\u001b[31mc'],
    ['pasted into another', `<>${left}${pasted('one\ntwo')}`, '<one\ntwo>'],
    ['changed in an earlier line', `ab\\${enter}c${up}X`, 'aXb\nc'],
    ['changed in a later line', `a\\${enter}bcd${up}${down}X`, 'a\nbXcd'],
  ])('%s is what Enter returns', async (_, keys, text) => {
    expect(await typing(keys)).toBe(text);
  });

  test('pasted with 300 lines is a mark until Enter, and may be deleted', async () => {
    const lines = Array.from({ length: 300 }, (_, line) => `line ${line}`).join('\n');
    const { editor, press } = openEditor();
    const text = editor.read();
    expect(await press('sum ', pasted(lines), '?')).toBe('> sum [text 1: 300 lines]?▏');
    await press(enter);
    expect(await text).toBe(`sum ${lines}?`);
    const again = editor.read();
    expect((await press(up)).split('\n').at(-1)).toBe('> sum [text 1: 300 lines]?▏');
    await press(`${key('U')}x${enter}`);
    expect(await again).toBe('x');
  });

  test('typed while svc answers is the next one, and Ctrl-C only stops', async () => {
    const { editor, stdin } = openEditor();
    const stopped = new EventEmitter();
    const answer = editor.during(
      () => stopped.emit('stop'),
      () => once(stopped, 'stop'),
    );
    stdin.write(`gone${key('C')}next${enter}`);
    await answer;
    expect(await editor.read()).toBe('next');
  });

  test.each([
    ['Ctrl-D on an empty line', key('D')],
    ['Ctrl-D after a cleared line', `x${key('C')}${key('D')}`],
    ['the end of the terminal', undefined],
  ])('is undefined after %s', async (_, keys) => {
    const { editor, stdin } = openEditor();
    const text = editor.read();
    if (keys === undefined) stdin.end();
    else stdin.write(keys);
    expect(await text).toBeUndefined();
  });

  test('fails when svc is ended', async () => {
    const { abort, editor } = openEditor();
    const text = editor.read();
    abort.abort(new Error('ended'));
    await expect(text).rejects.toThrow('ended');
  });
});

const history = ['Third\nof two lines', 'second', 'first'];

test.each([
  ['up', `${up}${up}`, 'second'],
  ['up and down', `${up}${up}${up}${down}`, 'second'],
  ['up after the start of a text', `fi${up}`, 'first'],
  ['Ctrl-R and letters', `${key('R')}se`, 'second'],
  ['Ctrl-R again', `x${key('R')}s${key('R')}${key('R')}`, 'first'],
  ['Ctrl-R and a letter taken back', `${key('R')}fix\u007f`, 'first'],
  ['Ctrl-R and a paste', `${key('R')}${pasted('COND')}`, 'second'],
  ['Ctrl-R and an arrow, after which keys edit', `${key('R')}on${left}X`, 'seXcond'],
  ['Ctrl-R but given up', `own${key('R')}se${key('G')}${left}X`, 'owXn'],
  ['Ctrl-R but given up with Ctrl-C', `own${key('R')}se${key('C')}`, 'own'],
])('the history is reached with %s', async (_, keys, text) => {
  expect(await typing(keys, { history })).toBe(text);
});

describe('the screen', () => {
  const chinese = '这是一个很长的中文问题需要在四十列的终端上正确换行显示出来';

  test.each([
    [40, `> ${chinese.slice(0, 18)}\n${chinese.slice(18)} ok▏`],
    [80, `> ${chinese} ok▏`],
    [200, `> ${chinese} ok▏`],
  ])('has the cursor in place among wide letters at %i columns', async (columns, shown) => {
    const { editor, press, terminal } = openEditor({ columns });
    void editor.read();
    expect(await press(`${chinese} ok`)).toBe(shown);
    expect(terminal.cell(0, 0)).toEqual(['>', 6, '']);
    const [row = '', ...others] = shown.replace('▏', '').split('\n');
    expect(await press(key('A'))).toBe([`> ▏${row.slice(2)}`, ...others].join('\n'));
  });

  test('is drawn again when the terminal is resized', async () => {
    const { editor, press, terminal, screen, settle } = openEditor({ columns: 80 });
    void editor.read();
    const words = 'a question that is too long for a terminal of forty columns';
    await press(words);
    terminal.resize(40);
    await settle();
    expect(screen()).toBe(`> ${words.slice(0, 37)}\n${words.slice(37)}▏`);
    terminal.resize(80);
    await settle();
    expect(screen()).toBe(`> ${words}▏`);
  });

  test('shows the rows around the cursor of a text that is taller', async () => {
    const { editor, press } = openEditor();
    void editor.read();
    const lines = Array.from({ length: 20 }, (_, line) => `${line}\\${enter}`);
    const shown = await press(lines.join(''));
    expect(shown.split('\n')).toHaveLength(12);
    expect(shown.endsWith('… 18\n… 19\n… ▏')).toBe(true);
  });

  test('completes a word, and lists what can follow', async () => {
    const names = ['/search', '/save', '/model local/echo', '/attach ёлка.png'];
    const { editor, press } = openEditor({ names });
    void editor.read();
    expect(await press('/s\t')).toBe('> /s▏\n/search  /save');
    expect(await press('a\t')).toBe('> /save ▏');
    expect(await press(key('U'), '/model \t')).toBe('> /model local/echo ▏');
    expect(await press(key('U'), '/attach ел\t')).toBe('> /attach ёлка.png ▏');
  });

  test('completes whole letters only', async () => {
    const { editor, press } = openEditor({ names: ['/load 😀', '/load 😁'] });
    void editor.read();
    expect(await press('/l\t')).toBe('> /load ▏');
  });

  test('shows what Ctrl-R looks for, and where it was found', async () => {
    const { editor, press } = openEditor({ history });
    void editor.read();
    expect(await press(`own${key('R')}`)).toBe('> own▏\n(reverse-i-search)');
    expect(await press('on')).toBe('> sec▏ond\n(reverse-i-search) on');
    expect(await press('?')).toBe('> sec▏ond\n(failed reverse-i-search) on?');
    expect(await press(key('G'))).toBe('> own▏');
  });

  test('goes to the end of what Ctrl-R finds where small letters are longer', async () => {
    const { editor, press } = openEditor({ history: ['İİİİx'] });
    void editor.read();
    expect(await press(key('R'), 'x')).toBe('> İİİİx▏\n(reverse-i-search) x');
  });

  test('keeps the text when Ctrl-L clears everything else', async () => {
    const { editor, press, terminal } = openEditor();
    await terminal.show('an answer\n');
    void editor.read();
    expect(await press('a text', left)).toBe('an answer\n> a tex▏t');
    expect(await press(key('L'))).toBe('> a tex▏t');
  });

  test('lists what can follow in rows, where there is more to say', async () => {
    const rows = ['c1  这是一个很长的中文问题', 'c2  why?'];
    const { editor, press } = openEditor({ columns: 16, rows });
    void editor.read();
    expect(await press('/load \t')).toBe('> /load c▏\nc1  这是一个很…\nc2  why?');
  });

  test('obeys nothing that is pasted', async () => {
    const { editor, press } = openEditor();
    void editor.read();
    expect(await press(pasted('\u001b[2J\u0007x'))).toBe('> ␛[2J␇x▏');
  });
});
