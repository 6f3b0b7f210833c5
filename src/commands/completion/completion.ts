import type { Handler } from '../../cli/declaration.js';
import { completionScript } from '../../completion/script.js';
import { models } from '../../service/catalog.js';
import { entries } from '../index.js';
import type { completion } from './index.js';

/** Prints the script of a shell. */
export const run: Handler<typeof completion> = async ({ out }, { args }) => {
  const localModels = models.map(({ id }) => id);
  await out.text(completionScript(args.shell, entries, localModels));
};
