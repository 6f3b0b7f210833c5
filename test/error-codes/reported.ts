/** What svc reports of a failure, for the tables of codes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import * as z from 'zod/mini';
import { errorList } from '../../src/error-codes.js';
import { testFolder } from '../helpers/folder.js';
import { run, words, type RunOptions } from '../helpers/run.js';

const Report = z.object({ code: z.string(), exit: z.number() });

/**
 * The code and the exit that `svc LINE --json` ends with, or that the last failure keeps of a line
 * whose stdout is not for JSON.
 */
export async function reported(line: string, options: RunOptions = {}) {
  const { home = testFolder() } = options;
  const isForJson = !/ -o -| --run/.test(line);
  const ended = await run([...words(line), ...(isForJson ? ['--json'] : [])], { ...options, home });
  const report = isForJson
    ? (/(?<=\{"error":)\{.*\}(?=\}$)/m.exec(ended.stderr)?.[0] ?? ended.stderr)
    : readFileSync(join(home, 'data/last-failure.json'), 'utf8');
  const { code, exit } = Report.parse(JSON.parse(report));
  expect(exit).toBe(ended.code);
  // A command that has done part of its work ends with 12, whatever stopped it.
  const usual = errorList().find((one) => one.code === code)?.exits ?? [];
  expect([...usual, 12]).toContain(exit);
  return [code, exit];
}
