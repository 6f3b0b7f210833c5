/** What a program is run with: by its recipe, and by what the user says. */
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InputOf } from '../../command.js';
import type { Context } from '../../context.js';
import { UsageError } from '../../errors.js';
import { failing } from '../../files/file-trouble.js';
import { temporaryFolder } from '../../files/growing-file.js';
import type { Env } from '../../lib/env.js';
import { shellWord } from '../../lib/names.js';
import { plainText } from '../../lib/plain-text.js';
import { redact } from '../../lib/redact.js';
import { programEnv } from '../../proxy/program-env.js';
import type { ProxyAddress } from '../../proxy/proxied.js';
import { setupOf } from '../../proxy/recipes/index.js';
import type { ProgramSetup, ProgramWords, Recipe } from '../../proxy/recipes/recipe.js';
import type { run } from './index.js';

/** A program with its words, its whole environment, and the files that it reads. */
export interface Start extends Pick<ProgramSetup, 'words' | 'files' | 'recipe'> {
  readonly env: Env;
  /** Variables of the user that it must not have: the key of the account stands in them. */
  readonly leftOut: readonly string[];
}

/** Where the program finds the proxy, and svc what it must not tell it. */
interface Known {
  readonly address: ProxyAddress;
  /** For files, of this run. */
  readonly folder: string;
  /** The key of the account. */
  readonly secret: string | undefined;
}

/** @throws UsageError for words, options or variables with which it would not ask the proxy */
export function startOf(
  { env }: Context,
  { args, options }: InputOf<typeof run>,
  { address, folder, secret }: Known,
): Start {
  const own = namedVariables(options.env, address);
  const { env: usual, leftOut } = programEnv(env, address, secret);
  const words = wordsOf(args.program);
  const bare: ProgramSetup = { words, env: {}, unset: [], files: [] };
  const setup = options.recipe ? setupOf(words, { ...address, folder, env: usual }) : bare;
  const without = Object.entries({ ...usual, ...setup.env }).filter(
    ([name]) => !setup.unset.includes(name),
  );
  const all = { ...Object.fromEntries(without), ...own };
  return { ...setup, env: all, leftOut: leftOut.filter((name) => !(name in all)) };
}

/** `NAME=url|key|model`: a variable and its value. @throws UsageError */
function namedVariables(
  texts: readonly string[],
  { key, model, rootUrl }: ProxyAddress,
): Record<string, string> {
  const values = new Map([
    ['url', `${rootUrl}/v1`],
    ['key', key],
    ['model', model],
  ]);
  const entries = texts.map((text) => {
    const [, name = '', what = ''] = /^([A-Za-z_]\w*)=(url|key|model)$/.exec(text) ?? [];
    const value = values.get(what);
    if (value !== undefined) return [name, value] as const;
    const shown = `--env ${JSON.stringify(plainText(text, 100))}`;
    if (name !== '') throw new UsageError(`${shown} needs -m MODEL`);
    throw new UsageError(`${shown} is not NAME=url, NAME=key or NAME=model`);
  });
  return Object.fromEntries(entries);
}

function wordsOf([command = '', ...args]: readonly string[]): ProgramWords {
  if (command !== '') return [command, ...args];
  throw new UsageError('the name of the program is empty', { hint: 'svc run -- PROGRAM' });
}

/** What stands for the values of a run in what --print shows. */
export const placeholders = (model: string | undefined): Known => ({
  address: { rootUrl: 'http://127.0.0.1:PORT', key: 'sk-run-…', model },
  folder: join(tmpdir(), 'svc-run-…'),
  secret: undefined,
});

/** What the program gets that differs from what the user has, as lines of a shell, or as JSON. */
export async function print({ env, flags, out }: Context, start: Start): Promise<void> {
  const { words, files, recipe } = start;
  const names = Object.keys(start.env).filter((name) => start.env[name] !== env[name]);
  const variables = names.map((name) => ({ name, value: redact(start.env[name] ?? '') }));
  const unset = Object.keys(env).filter((name) => !(name in start.env));
  if (flags.json) return out.json({ words, variables, unset, files });
  const line = (...parts: readonly string[]) => parts.map(shellWord).join(' ');
  await out.text(
    [
      ...variables.map(({ name, value }) => `export ${name}=${shellWord(value)}`),
      ...(unset.length === 0 ? [] : [line('unset', ...unset)]),
      ...files.flatMap(({ path, contents }) => [
        `# ${path}`,
        ...redact(contents)
          .trimEnd()
          .split('\n')
          .map((one) => `#   ${one}`),
      ]),
      ...(recipe === undefined ? [] : [`# ${proofOf(recipe)} ${recipe.uncovered}`]),
      line(...words),
      '',
    ].join('\n'),
  );
}

function proofOf({ names: [name], verified: { by, version } }: Recipe): string {
  const how = by === 'run' ? 'running' : 'reading the source of';
  return `The recipe was verified by ${how} ${String(name)} ${version}.`;
}

/** Runs `work` with a folder for files of the program, which no other user can read. */
export async function withFolder<Result>(work: (folder: string) => Promise<Result>) {
  const folder = await temporaryFolder('run');
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

export async function writeFiles({ files }: Start): Promise<void> {
  for (const { path, contents } of files) {
    const failed = failing(`cannot write ${path}`, 'set TMPDIR to another folder');
    await writeFile(path, contents, { mode: 0o600, flag: 'wx' }).catch(failed);
  }
}
