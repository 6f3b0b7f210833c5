import type { Handler } from '../../cli/declaration.js';
import { scripts } from '../../completion/scripts.js';
import type { completion } from './index.js';

/** Prints the script of a shell. */
export const run: Handler<typeof completion> = async ({ out }, { args }) => {
  await out.text(scripts[args.shell].text);
};
