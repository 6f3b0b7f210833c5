/** Completion scripts: the declarations in, the text of a script out. */
import type { Entry } from '../cli/declaration.js';
import { bashScript } from './bash.js';
import { fishScript } from './fish.js';
import { powershellScript } from './powershell.js';
import type { Shell } from './shells.js';
import { treeOf } from './tree.js';
import { zshScript } from './zsh.js';

const writers = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
  powershell: powershellScript,
};

/**
 * The script that makes a shell complete svc; it starts no process when it completes.
 * @param localModels what is offered for a model when --local is on the line.
 */
export function completionScript(
  shell: Shell,
  entries: readonly Entry[],
  localModels: readonly string[],
): string {
  return writers[shell](treeOf(entries, localModels));
}
