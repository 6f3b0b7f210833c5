/** --jq and --fields: filters the JSON of a command by jq itself, compiled to WebAssembly. */
import { Incomplete, timedOut, UsageError } from '../errors.js';
import { codeOf } from '../lib/error-code.js';
import { TimeLimitError, withinTime } from '../lib/time-limit.js';
import { PromptClosed } from './types.js';

export interface Filter {
  readonly isRaw: boolean;
  /** @throws Incomplete when jq fails: the JSON itself is to be printed */
  readonly run: (json: string) => string;
}

/**
 * @param limitMs for a filter that does not end: 10 MB take 1 to 3 s
 * @throws UsageError for what cannot be run, before anything is sent
 */
export async function jsonFilter(
  flags: Readonly<{ jq: string | undefined; fields: string | undefined; raw: boolean }>,
  limitMs = 60_000,
): Promise<Filter> {
  const { jq, fields, raw: isRaw } = flags;
  const hint = 'svc help options';
  if (isRaw && jq === undefined) throw new UsageError('--raw needs --jq', { hint });
  const fieldPrograms = fields === undefined ? [] : [programFor(fields)];
  const { loadJq } = await import('jq-wasm/inline');
  const compiled = await loadJq();
  const run = (json: string, program: string) => {
    const { error: write } = console;
    try {
      // A crash of WebAssembly is thrown, and written by it as well.
      Object.assign(console, { error: () => undefined });
      const work = () => compiled.raw(json, program, ['--']);
      return { ...withinTime(limitMs, work, { breakOnSigint: true }), isLate: false };
    } catch (error) {
      if (codeOf(error) === 'ERR_SCRIPT_EXECUTION_INTERRUPTED') throw new PromptClosed();
      const isLate = error instanceof TimeLimitError;
      const stderr = isLate
        ? 'it timed out: jq needs more than 60 s'
        : 'a value is too large or nested too deeply';
      return { exitCode: 1, stdout: '', stderr, isLate };
    } finally {
      Object.assign(console, { error: write });
    }
  };
  // Without input, jq compiles the expression and runs nothing.
  const check = run('', jq ?? '.');
  if (check.isLate) throw timedOut('--jq: compiling the expression');
  if (check.exitCode !== 0) {
    throw new UsageError(`--jq: ${check.stderr}`, { code: 'bad_jq', hint });
  }
  const apply = (json: string, program: string): string => {
    const { exitCode, stdout, stderr, isLate } = run(json, program);
    if (exitCode === 0) return stdout === '' ? '' : `${stdout}\n`;
    const reason = stderr.replaceAll(/ \(at \/dev\/stdin:\d+\)/g, '');
    throw new Incomplete(`the JSON could not be filtered: ${reason}`, {
      code: isLate ? 'timed_out' : 'jq_failed',
      hint: 'stdout has all of the JSON, unfiltered: filter that; running svc again may cost again',
    });
  };
  return {
    isRaw,
    run: (json) => {
      const text = [...fieldPrograms, jq ?? []].flat().reduce(apply, json);
      if (!isRaw) return text;
      // jq trims white space off what it prints without quotes, so they are removed here. Only a
      // result that is a string begins with a quote in the first column.
      const lines = text.split('\n');
      return lines.map((one) => (one.startsWith('"') ? String(JSON.parse(one)) : one)).join('\n');
    },
  };
}

/**
 * Fields of the object that is printed or, where it has none of them, of the items of its list.
 * A field that is missing is null; a path through a list applies to each item.
 */
function programFor(fields: string): string {
  const paths = fields.split(',').map((path) => path.trim().split('.'));
  const badPath = paths.find((path) => path.includes(''));
  if (badPath) {
    const name = JSON.stringify(badPath.join('.'));
    throw new UsageError(`--fields: ${name} is not a field such as id or cost.priceRub`, {
      code: 'bad_fields',
      hint: 'separate fields by commas: --fields id,cost.priceRub',
    });
  }
  return `
    def keep($paths):
      if type == "array" then map(keep($paths))
      elif type == "object" and all($paths[]; . != []) then
        . as $whole | reduce $paths[] as [$name] ({};
          .[$name] = ($whole[$name] | keep([$paths[] | select(.[0] == $name) | .[1:]])))
      else . end;
    ${JSON.stringify(paths)} as $paths
    | if type == "object" and all($paths[] as [$name] | has($name); not) then
        first((.[] | arrays | select(.[0] | type == "object")), (.[] | select(. == [])), .)
      else . end
    | keep($paths)`;
}
