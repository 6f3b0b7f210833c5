/** Sessions in a real pseudo-terminal, as script of util-linux has it. */
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { play, type Scene } from '../../scripts/screens/play.js';
import { screenOf, textOf } from '../../scripts/screens/screen.js';
import { installed } from '../bin/package.js';

const [enter, ctrlC, ctrlD, left] = ['\r', '\u0003', '\u0004', '\u001b[D'];
const scripts = resolve(import.meta.dirname, '../../scripts/screens');
const lines = Array.from({ length: 300 }, (_, line) => `line ${line}`).join('\r');
const reply = 'Once upon a time there was a lighthouse that nobody had ever seen go dark.';
const story = JSON.stringify({ rules: [{ reply, chunkSize: 50, chunkDelayMs: 2000 }] });
const size = { columns: 80, rows: 30 };
const env = { SVC_LOCAL_SCRIPT: 'story.json' };

interface SessionScene extends Omit<Scene, 'lines'> {
  /** Runs first. */
  readonly before?: string;
}

/** What it leaves on the screen from its first line on; `same` when the terminal is as it was. */
async function session(options: string, { before = ':', ...more }: SessionScene, columns = 80) {
  const begin = `echo '${story}' >story.json; tty >tty; stty -a | grep -v rows >before`;
  const end = 'stty -a | grep -v rows | diff before - && echo same';
  const line = `${before}; ${begin}; svc --local chat -i ${options}; ${end}`;
  const scene = { lines: [line], isNew: true, ...more };
  const own = { ...size, columns };
  const sent = (await play({ package: await installed(), scripts }, scene, own)).join('');
  const screen = (await screenOf(sent, own)).map((one) => textOf(one).trimEnd());
  const first = screen.findIndex((one) => one.startsWith('local/'));
  return { sent, text: screen.slice(first).join('\n') };
}

const pasteSwitches = (sent: string) =>
  [...sent.matchAll(/\u001b\[\?2004([hl])/g)].map(([, which]) => which).join('');

describe.runIf(process.platform === 'linux')('a session at a terminal', () => {
  test.each([40, 80, 200])('takes what is typed and pasted at %i columns', async (columns) => {
    const typed: Scene['typed'] = [
      [/> /, `bd${left}c\u0001a\u0005 x\u0017${enter}`],
      [/tokens/, `sum \u001b[200~${lines}\u001b[201~${enter}`],
      [/line 299[^]*tokens/, `/mo\tlocal/ec\t${enter}`],
      [/model: /, `"""${enter}one${enter}two"""${enter}`],
      [/tokens/, `a \\${enter}b${enter}`],
      [/tokens/, ctrlD],
    ];
    const { sent, text } = await session('-m local/echo --plain', { typed }, columns);
    expect(text).toContain('> abcd\nabcd\n');
    expect(text).toContain('> sum [text 1: 300 lines]\nsum line 0\nline 1\n');
    expect(text).toContain('> /model local/echo\nmodel: local/echo\n');
    expect(text).toContain('> """\n… one\n… two"""\none\ntwo\n');
    expect(text).toContain('> a\n… b\na\nb\n');
    expect(text).toMatch(/>\nto continue: svc --local chat -c\nsame$/);
    expect(pasteSwitches(sent)).toBe('hl');
  });

  test('keeps an answer that Ctrl-C stops after a resize, and goes on at the new width', async () => {
    const words = 'a question that is too long for forty columns';
    const { sent, text } = await session('-m local/script', {
      env: { ...env, NO_COLOR: '1' },
      typed: [
        [/> /, `story${enter}`],
        [/RUB[^]*> /, words],
        [/columns/, enter],
        [/go dark[^]*tokens/, ctrlD],
      ],
      beside: [/Once upon[^]*nobod/, 'stty -F $(cat ~/tty) cols 40'],
    });
    expect(text).toContain(`> story\n${reply.slice(0, 50)}\nstopped after about 13 output tokens`);
    expect(text).toContain(`> ${words.slice(0, 37)}\n${words.slice(37)}\nOnce upon`);
    expect(text).toMatch(/same$/);
    expect(pasteSwitches(sent)).toBe('hl');
    expect(sent.slice(sent.indexOf('local/script ·'))).not.toMatch(/\u001b\[[\d;]*m/);
  });

  test('needs no escape sequence with TERM=dumb, where Ctrl-C stops an answer too', async () => {
    const { sent, text } = await session('-m local/script', {
      env: { ...env, TERM: 'dumb' },
      typed: [
        [/> /, `one \\${enter}two${enter}`],
        [/nobod/, ctrlC],
        [/RUB[^]*> /, ctrlD],
      ],
    });
    expect(sent.slice(sent.indexOf('local/script ·'))).not.toContain('\u001b');
    expect(text).toMatch(/> to continue: svc --local chat -c\nsame$/);
  });

  test('a hang-up ends an answer as SIGTERM does', async () => {
    const ask = "sh -c 'echo $$ >pid; exec svc --local chat -m local/script hi'";
    const scene: Scene = {
      lines: [`trap "" INT; echo '${story}' >story.json; ${ask}; echo "ended with $?"`],
      isNew: true,
      env,
      beside: [
        /Once upon/,
        'pid=$(cat ~/pid); kill -HUP $pid; while kill -0 $pid; do sleep 0.05; done',
      ],
    };
    const sent = (await play({ package: await installed(), scripts }, scene, size)).join('');
    expect(sent).toContain('may have been charged');
    expect(sent).toContain('ended with 143');
  });

  test.each([
    ['SIGTERM', 'TERM', 'hl'],
    ['SIGHUP', 'HUP', 'hl'],
    ['SIGQUIT', 'QUIT', 'hl'],
    ['an exception', 'USR2', 'hl'],
    // Of two signals that wait, the system delivers the one with the lower number first.
    ['a stop by another program', 'TSTP $pid; sleep 0.5; kill -TERM', 'hlhl'],
  ])('leaves the terminal as it was after %s', async (_, signal, switches) => {
    const thrower =
      'require("fs").writeFileSync("pid", String(process.pid)); ' +
      'process.on("SIGUSR2", () => { throw new Error("thrown") })';
    const options = 'export NODE_OPTIONS="$NODE_OPTIONS --require=./throw.cjs"';
    const { sent, text } = await session('-m local/echo', {
      before: `trap "" INT; echo '${thrower}' >throw.cjs; ${options}`,
      beside: [
        /> /,
        `pid=$(cat ~/pid); kill -${signal} $pid; while kill -0 $pid; do sleep 0.05; done`,
      ],
    });
    // The terminal may echo the Ctrl-C that is typed after the end.
    expect(text).toMatch(/\n(?:\^C)?same/);
    expect(pasteSwitches(sent)).toBe(switches);
  });
});
