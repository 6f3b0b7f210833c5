/** A session in a real pseudo-terminal while it is resized, hung up and ended by signals. */
import { describe, expect, test } from 'vitest';
import type { Scene } from '../../scripts/screens/play.js';
import { played, reply, session, story } from '../../test/terminal/session.js';

const [enter, ctrlC, ctrlD] = ['\r', '\u0003', '\u0004'];
const env = { SVC_LOCAL_SCRIPT: 'story.json' };

describe.runIf(process.platform === 'linux')('a session at a terminal', () => {
  test('keeps an answer that Ctrl-C stops after a resize, and goes on at the new width', async () => {
    const words = 'a question that is too long for forty columns';
    const { sent, switches, text } = await session('-m local/script', {
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
    expect(text).toContain(`\n\n> ${words.slice(0, 37)}\n${words.slice(37)}\nOnce upon`);
    expect(text).toMatch(/same$/);
    expect(switches).toBe('hl');
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
    expect(text).toMatch(/> this session cost [^\n]*\nto continue: svc --local chat -c\nsame$/);
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
    const sent = await played(scene);
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
  ])('leaves the terminal as it was after %s', async (_, signal, expected) => {
    const thrower =
      'require("fs").writeFileSync("pid", String(process.pid)); ' +
      'process.on("SIGUSR2", () => { throw new Error("thrown") })';
    const options = 'export NODE_OPTIONS="$NODE_OPTIONS --require=./throw.cjs"';
    const { switches, text } = await session('-m local/echo', {
      before: `trap "" INT; echo '${thrower}' >throw.cjs; ${options}`,
      beside: [
        /> /,
        `pid=$(cat ~/pid); kill -${signal} $pid; while kill -0 $pid; do sleep 0.05; done`,
      ],
    });
    // The terminal may echo the Ctrl-C that is typed after the end.
    expect(text).toMatch(/\n(?:\^C)?same/);
    expect(switches).toBe(expected);
  });
});
