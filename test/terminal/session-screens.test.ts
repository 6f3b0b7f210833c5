/** A session in a real pseudo-terminal; bench/soak has resizes, hang-ups and signals. */
import { expect, test } from 'vitest';
import type { Scene } from '../../scripts/screens/play.js';
import { session } from './session.js';

const [enter, ctrlD, left] = ['\r', '\u0004', '\u001b[D'];
const lines = Array.from({ length: 300 }, (_, line) => `line ${line}`).join('\r');

test.runIf(process.platform === 'linux').each([40, 200])(
  'a session at a terminal takes what is typed and pasted at %i columns',
  async (columns) => {
    const typed: Scene['typed'] = [
      [/> /, `bd${left}c\u0001a\u0005 x\u0017${enter}`],
      [/tokens/, `sum \u001b[200~${lines}\u001b[201~${enter}`],
      [/line 299[^]*tokens/, `/mo\tlocal/ec\t${enter}`],
      [/model: /, `"""${enter}one${enter}two"""${enter}`],
      [/tokens/, `a \\${enter}b${enter}`],
      [/tokens/, ctrlD],
    ];
    const { switches, text } = await session('-m local/echo --plain', { typed }, columns);
    expect(text).toMatch(/commands\n\n> abcd\nabcd\nlocal/);
    expect(text).toContain('> sum [text 1: 300 lines]\nsum line 0\nline 1\n');
    expect(text).toContain('RUB\n\n> /model local/echo\nmodel: local/echo\n\n> ');
    expect(text).toContain('> """\n… one\n… two"""\none\ntwo\n');
    expect(text).toContain('> a\n… b\na\nb\n');
    expect(text.replaceAll(/\s+/g, ' ')).toMatch(
      /> this session cost 0.07824 RUB to continue: svc --local chat -c same$/,
    );
    expect(switches).toBe('hl');
  },
);
