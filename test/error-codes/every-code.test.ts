import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorCodes, errorList } from '../../src/error-codes.js';
import { recordOf } from '../../src/lib/json.js';
import { run } from '../helpers/run.js';

const root = join(import.meta.dirname, '../..');
const textsOf = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/^service\/|error-codes\.ts$/.test(name))
    .map((name) => [name, readFileSync(join(root, folder, name), 'utf8')] as const);
const sources = textsOf('src');
const tests = textsOf('test').filter(([name]) => name.endsWith('.test.ts'));

/** Whether a table beside this file has a row for it, whose test runs svc until it is reported. */
const isInTable = (code: string) =>
  tests.some(([name, text]) => {
    return name.startsWith('error-codes/') && new RegExp(`\\[\\s*'${code}',\\s*\\d+,`).test(text);
  });

/** Whether a test asserts that svc gives it. */
const isAsserted = (code: string) => {
  const word = `['"\\\\]*(?::|\\)\\.toBe\\()\\s*\\\\?['"]${code}['"\\\\]`;
  const isUsed = sources.some(([, text]) => text.includes(`'${code}'`));
  return isUsed && tests.some(([, text]) => new RegExp(`expect\\b[^;]*?\\bcode${word}`).test(text));
};

describe('every error code', () => {
  it('is reached by a test', () => {
    const codes = Object.keys(errorCodes);
    expect(codes.filter((code) => !isInTable(code) && !isAsserted(code))).toEqual([]);
    expect(['unheard_of', 'code'].some((code) => isInTable(code) || isAsserted(code))).toBe(false);
  });

  it('is listed once, in order', () => {
    const codes = Object.keys(errorCodes);
    expect(codes).toEqual([...codes].sort());
  });

  it('is printed for people by svc help errors, and as JSON for programs', async () => {
    const { stdout, stderr, code } = await run('help errors');
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    const words = stdout.replace(/\s+/g, ' ');
    for (const { code, exits, meaning, next } of errorList()) {
      expect(words).toContain(` ${code} exit ${exits.join(', ')}: ${meaning}; ${next} `);
    }
    const { errors } = recordOf(JSON.parse((await run('help errors --json')).stdout));
    expect(errors).toEqual(errorList());
    expect(errorList().find(({ code }) => code === 'bad_key')).toEqual({
      code: 'bad_key',
      exits: [2, 4],
      meaning: 'the key cannot be valid',
      next: '`svc login` and paste it again',
    });
  });
});
