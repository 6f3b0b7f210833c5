/** Finds the recipe of a program, and makes from it what the program is started with. */
import { UsageError } from '../../errors.js';
import type { ProgramSetup, ProgramWords, RunOfProgram } from './recipe.js';
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
  const recipe = recipes.find(({ names }) => names.includes(name));
  if (!recipe) return { words, env: {}, unset: [], files: [] };
  const { rootUrl, model } = run;
  if (recipe.needsModel && model === undefined) {
    const hint = `name it: svc run -m MODEL -- ${name}; "svc models" lists them`;
    throw new UsageError(`${name} does not start without the name of a model`, { hint });
  }
  const end = after.indexOf('--');
  const args = end < 0 ? after : after.slice(0, end);
  const past = args.find((word) => recipe.elsewhere?.test(word));
  if (past !== undefined) {
    const hint = 'leave it out, or add --no-recipe to svc run';
    throw new UsageError(`${name} ${past} could send requests past the ceiling`, { hint });
  }
  const input = { ...run, apiUrl: `${rootUrl}/v1`, args };
  const { args: own = [], env = {}, unset = [], files = [] } = recipe.setup(input);
  return { words: [...before, ...own, ...after], env, unset, files, recipe };
}

interface NamedProgram {
  readonly name: string;
  readonly before: ProgramWords;
  /** The user's words to the program itself. */
  readonly after: readonly string[];
}

/** `/usr/bin/codex`, `codex.cmd`, `npx -y @openai/codex@latest`. */
function named([command, ...args]: ProgramWords): NamedProgram {
  const name = command.replace(/^.*[\\/]/s, '').replace(/\.(?:cmd|exe|ps1|bat)$/i, '');
  const at = args.findIndex((word) => word !== '-y' && word !== '--yes');
  const started = args[at];
  if (!starters.has(name) || started === undefined) return { name, before: [command], after: args };
  const before = [command, ...args.slice(0, at + 1)] satisfies ProgramWords;
  return { name: started.replace(/(?<=.)@[^/]*$/, ''), before, after: args.slice(at + 1) };
}
