/** What a recipe is: how one program is pointed at the proxy of this run. */
import type { Env } from '../../lib/env.js';
import type { ProxyAddress } from '../proxied.js';

/** For programs that want to be told; most models of the service have at least so much. */
export const assumedContextTokens = 128_000;
/** The longest answer that a program asks for: each request reserves the price of one. */
export const answerTokens = 8_000;

/** A program as the user named it: the command, and its own words. */
export type ProgramWords = readonly [command: string, ...args: string[]];

/** What a program is started with. The key stands in variables alone, never in a word or a file. */
export interface ProgramSetup {
  /** The command with the words of the recipe before those of the user. */
  readonly words: ProgramWords;
  /** Variables in addition to those that every program gets. */
  readonly env: Readonly<Record<string, string>>;
  /** Variables that it must not get, although the user or svc run has set them. */
  readonly unset: readonly string[];
  /** To be written, 0600, in the folder of this run: it reads them in place of the user's. */
  readonly files: readonly { readonly path: string; readonly contents: string }[];
  /** What all this comes from; undefined where the program needs nothing. */
  readonly recipe?: Recipe | undefined;
}

/** What the setup of a program depends on. */
export interface RunOfProgram extends ProxyAddress {
  /** Of this run, 0700, and removed after it. */
  readonly folder: string;
  /** The user's: some programs take more from it than addresses. */
  readonly env: Env;
}

/** What the setup of a row is made from. */
interface RecipeInput extends RunOfProgram {
  /** The address with `/v1`. */
  readonly apiUrl: string;
  /** The user's own words, without the command. */
  readonly args: readonly string[];
}

/** What a row adds; `args` stand before the words of the user. */
type RecipeSetup = Partial<Pick<ProgramSetup, 'env' | 'unset' | 'files'>> & {
  readonly args?: readonly string[];
};

/** One program: what it needs beyond the variables that every program gets. */
export interface Recipe {
  /** Its commands, and the packages that npx and its like start it from. */
  readonly names: readonly string[];
  /** The version, and whether it was run or its source was read. */
  readonly verified: { readonly version: string; readonly by: 'run' | 'source' };
  /** What goes past the proxy, or fails, in spite of the recipe: sentences for the manual. */
  readonly uncovered: string;
  /** Whether it cannot start without a model's name. */
  readonly needsModel?: boolean;
  /** The user's words with which it would ask another service, past the ceiling. */
  readonly elsewhere?: RegExp;
  /** @throws UsageError for a variable of the user that cannot be added to */
  readonly setup: (input: RecipeInput) => RecipeSetup;
}

/** A program that cannot ask through the proxy, and the sentence that says why. */
export interface Unsuitable {
  readonly names: readonly string[];
  readonly reason: string;
  readonly hint: string;
}
