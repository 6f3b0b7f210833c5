import bash from '../../../completions/svc.bash?raw';
import fish from '../../../completions/svc.fish?raw';
import powershell from '../../../completions/svc.ps1?raw';
import zsh from '../../../completions/_svc?raw';
import type { Handler } from '../../cli/declaration.js';
import type { completion } from './index.js';

const scripts = { bash, zsh, fish, powershell };

/** Prints the script of a shell. */
export const run: Handler<typeof completion> = async ({ out }, { args }) => {
  await out.text(scripts[args.shell]);
};
