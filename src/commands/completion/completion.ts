import bash from '../../../completions/svc.bash?raw';
import fish from '../../../completions/svc.fish?raw';
import powershell from '../../../completions/svc.ps1?raw';
import zsh from '../../../completions/_svc?raw';
import type { Handler } from '../../context.js';
import doBash from '../../../completions/do.bash?raw';
import doFish from '../../../completions/do.fish?raw';
import doZsh from '../../../completions/_svc_do?raw';
import type { completion, shellInit } from './index.js';

const scripts = { bash, zsh, fish, powershell };
const keys = { bash: doBash, zsh: doZsh, fish: doFish };

export const run: Handler<typeof completion> = async ({ out }, { args }) => {
  await out.text(scripts[args.shell]);
};

export const init: Handler<typeof shellInit> = async ({ out }, { args }) => {
  await out.text(`${scripts[args.shell]}\n${keys[args.shell]}`);
};
