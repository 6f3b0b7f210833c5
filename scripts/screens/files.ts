/** The files of docs/screens/: every scene at each width, as text. */
import { rmSync } from 'node:fs';
import { play, prepare, type Scene, type Size, type Stage } from './play.js';
import { recording } from './recording.js';
import { history, scenes } from './scenes.js';
import { screenOf, textOf, type Line } from './screen.js';

export interface File {
  /** Below docs/. */
  readonly path: string;
  readonly text: string;
}

export const widths = [40, 80, 120];
const rows = 40;

/**
 * Plays what `isAsked` names, two scenes at once.
 * @param failed what becomes of a scene that cannot be played
 */
export async function screenFiles(
  stage: Stage,
  isAsked: (name: string) => boolean,
  failed: (path: string, error: unknown) => void,
  at: readonly number[] = widths,
): Promise<File[]> {
  const home = await prepare(stage, history);
  const made = { ...stage, home };
  const plays = Object.entries(scenes).map(([name, scene]) => {
    return { name, path: `screens/${name}.txt`, text: () => screenFile(made, scene, at) };
  });
  plays.push({ name: 'recording', path: 'recording.svg', text: () => recording(made) });
  const asked = plays.filter(({ name }) => isAsked(name));
  const files: File[] = [];
  await inPairs(asked, async ({ path, text }) => {
    try {
      files.push({ path, text: await text() });
    } catch (error) {
      failed(path, error);
    }
  });
  rmSync(home, { recursive: true });
  return files;
}

async function screenFile(stage: Stage, scene: Scene, at: readonly number[]): Promise<string> {
  let text = '';
  for (const columns of at) {
    const size: Size = { columns, rows };
    const lines = await screenOf((await play(stage, scene, size)).join(''), size);
    const shown = scene.withStyles ? lines.map(withMarks) : lines.map(textOf);
    const title = `${'─'.repeat(columns - 12)} ${columns} columns`.slice(-columns);
    text += [title, ...shown.map((line) => line.trimEnd()), '', ''].join('\n');
  }
  return text;
}

/** The styles of a line between guillemets: «bold»Usage«» */
function withMarks(line: Line): string {
  return line.map(({ text, style }) => (style === '' ? text : `«${style}»${text}«»`)).join('');
}

/** Two at once, as there are processors. */
async function inPairs<Item>(all: readonly Item[], work: (one: Item) => Promise<void>) {
  const left = [...all];
  const worker = async () => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one);
  };
  await Promise.all([worker(), worker()]);
}
