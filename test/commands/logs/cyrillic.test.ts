import { expect, it } from 'vitest';
import { Log } from '../../../src/state/log.js';
import { pathsFrom } from '../../../src/state/paths.js';
import { testFolder } from '../../helpers/folder.js';
import { run } from '../../helpers/run.js';
import { turn } from './scene.js';

const texts = ['Ёлка и мой счёт', 'Елка без счета', 'мои дела', 'е\u0308ж', 'и\u0306од'];
const found = async (...words: string[]) => {
  const home = testFolder();
  const log = new Log(pathsFrom({ SVC_CONFIG_DIR: home }));
  for (const text of texts) log.add(turn(text, 'Да.'));
  const { stdout } = await run(['logs', ...words, '--json'], { home });
  return [...stdout.matchAll(/"id": (\d)/g)].map(([, id]) => Number(id));
};

it.each([
  ['елка', [2, 1]],
  ['ЁЛКА', [2, 1]],
  ['е\u0308лка', [2, 1]],
  ['ел', [2, 1]],
  ['счёт', [2, 1]],
  ['счет елка', [1]],
  ['еж', [4]],
  ['ёж', [4]],
  ['мой', [1]],
  ['мои', [3]],
  ['йод', [5]],
  ['иод', []],
  ['е'.repeat(30), []],
])('svc logs finds %s with е and ё as one letter, and й as another than и', async (words, ids) => {
  expect(await found(...words.split(' '))).toEqual(ids);
});
