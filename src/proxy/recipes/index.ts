/** Finds the recipe of a program, and makes from it what the program is started with. */
import { UsageError } from '../../errors.js';
import type { ProgramSetup, ProgramWords, Recipe, RunOfProgram } from './recipe.js';
import { recipes, unsuitable } from './rows.js';

/** They start a package that they are given by name. */
const starters = new Set(['npx', 'bunx', 'pnpx', 'uvx']);

/**
 * A program without a recipe is started with its words as they are.
 * @throws UsageError for a program that cannot ask through the proxy, for one whose model is not
 * known but needed, and for words or variables of the user that name another service
 */
export function setupOf(words: ProgramWords, run: RunOfProgram): ProgramSetup {
  const { name, before, after } = named(words);
  const without = unsuitable.find(({ names }) => names.includes(name));
  if (without) throw new UsageError(without.reason, { hint: without.hint });
  const recipe = recipeNamed(name);
  if (!recipe) return { words, env: {}, unset: [], files: [] };
  const { address } = run;
  if (recipe.needsModel && address.model === undefined) {
    throw new UsageError(`${name} does not start without the name of a model`, {
      hint: `svc run -m MODEL -- ${name}; "svc models" lists them`,
    });
  }
  const input = { ...run, apiUrl: `${address.rootUrl}/v1`, args: after };
  const { args = [], env = {}, unset = [], files = [] } = recipe.setup(input);
  const [command, ...more] = before;
  return { words: [command, ...more, ...args, ...after], env, unset, files };
}

/** @param name of a command or a package */
export function recipeNamed(name: string): Recipe | undefined {
  return recipes.find(({ names }) => names.includes(name));
}

/** `/usr/bin/codex`, `codex.cmd`, `npx -y @openai/codex@latest`: the name, and where it ends. */
function named(words: ProgramWords) {
  const [command, ...args] = words;
  const own = baseName(command);
  const at = args.findIndex((word) => word !== '-y' && word !== '--yes');
  const started = args[at];
  if (!starters.has(own) || started === undefined) {
    return { name: own, before: [command] satisfies ProgramWords, after: args };
  }
  const before = [command, ...args.slice(0, at + 1)] satisfies ProgramWords;
  const name = started.replace(/(?<=.)@[^/]*$/, '');
  return { name, before, after: args.slice(at + 1) };
}

const baseName = (command: string) =>
  command.replace(/^.*[\\/]/s, '').replace(/\.(?:cmd|exe|ps1|bat)$/i, '');
