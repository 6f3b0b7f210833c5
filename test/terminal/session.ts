/** A session in a real pseudo-terminal, as script of util-linux has it. */
import { resolve } from 'node:path';
import { play, type Scene } from '../../scripts/screens/play.js';
import { screenOf, textOf } from '../../scripts/screens/screen.js';
import { installed } from '../bin/package.js';

export const reply = 'Once upon a time there was a lighthouse that nobody had ever seen go dark.';
export const story = JSON.stringify({ rules: [{ reply, chunkSize: 50, chunkDelayMs: 2000 }] });
const scripts = resolve(import.meta.dirname, '../../scripts/screens');
const size = { columns: 80, rows: 30 };

interface SessionScene extends Omit<Scene, 'lines'> {
  /** Runs first. */
  readonly before?: string;
}

/** What a scene sends to the terminal. */
export async function played(scene: Scene, own = size): Promise<string> {
  return (await play({ package: await installed(), scripts }, scene, own)).join('');
}

/** What it leaves on the screen from its first line on; `same` when the terminal is as it was. */
export async function session(
  options: string,
  { before = ':', ...more }: SessionScene,
  columns = 80,
) {
  const begin = `echo '${story}' >story.json; tty >tty; stty -a | grep -v rows >before`;
  const end = 'stty -a | grep -v rows | diff before - && echo same';
  const line = `${before}; ${begin}; svc --local chat -i ${options}; ${end}`;
  const own = { ...size, columns };
  const sent = await played({ lines: [line], isNew: true, ...more }, own);
  const screen = (await screenOf(sent, own)).map((one) => textOf(one).trimEnd());
  const first = screen.findIndex((one) => one.startsWith('local/'));
  const switches = [...sent.matchAll(/\u001b\[\?2004([hl])/g)].map(([, which]) => which).join('');
  return { sent, text: screen.slice(first).join('\n'), switches };
}
