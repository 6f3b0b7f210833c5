import { describe, expect, test } from 'vitest';
import type { Command, Option } from '../../src/cli/declaration.js';
import { globalFlagsFrom, globalOptions } from '../../src/cli/globals.js';
import { entries } from '../../src/commands/index.js';
import { kebabCase } from '../../src/lib/names.js';
import { words } from '../helpers/run.js';
import { parse } from './parse.js';

describe('the commands of svc', () => {
  const commands = entries.flatMap((entry): readonly Command[] =>
    'commands' in entry ? entry.commands : [entry],
  );
  const options = [
    ...Object.entries<Option>(globalOptions),
    ...commands.flatMap((one) => Object.entries<Option>(one.options ?? {})),
  ];

  test('give a letter one meaning, whatever the command', () => {
    const meanings = new Map<string, Set<string>>([
      ['h', new Set(['help'])],
      ['V', new Set(['version'])],
    ]);
    for (const [name, { short }] of options) {
      if (short === undefined) continue;
      expect([name, short]).toEqual([name, expect.stringMatching(/^[A-Za-z]$/)]);
      // `svc api` has the letters that such commands have everywhere: -f and -F are fields there.
      if (name === 'rawField') continue;
      meanings.set(short, (meanings.get(short) ?? new Set()).add(name));
    }
    const doubled = Array.from(meanings, ([letter, names]) => [letter, ...names]).filter(
      (meaning) => meaning.length > 2,
    );
    expect(doubled).toEqual([]);
  });

  test('give a name one letter, or none, whatever the command', () => {
    for (const [name, { short }] of options) {
      const others = options.filter(([other]) => other === name).map(([, other]) => other.short);
      expect([name, new Set(others)]).toEqual([name, new Set([short])]);
    }
  });

  test('are shown by examples that the parser takes', async () => {
    let count = 0;
    for (const [line] of commands.flatMap((one) => one.examples ?? [])) {
      for (const [, call = ''] of line.matchAll(
        /(?:^|[|;&(] *)svc ((?:"[^"]*"|'[^']*'|[^|;&<>)"'])*)/g,
      )) {
        const { refusal, asked } = await parse(words(call), entries);
        expect({ call, refusal, isAsked: asked !== undefined }).toMatchObject({
          call,
          isAsked: true,
        });
        count++;
      }
    }
    expect(count).toBeGreaterThan(10);
  });

  test('name only options that they have where some exclude or need others', () => {
    for (const { name, options: own, conflicts = [], needs = [] } of commands) {
      const all = Object.entries<Option>({ ...globalOptions, ...own });
      const flags = all.flatMap(([option, { short }]) => [
        `--${kebabCase(option)}`,
        `-${short ?? ''}`,
      ]);
      for (const typed of [...conflicts, ...needs].flat()) {
        const flag = typed.replace(/ .*$/, '').replace(/^--no-/, '--');
        expect([name, flags.includes(flag) ? flag : undefined]).toEqual([name, flag]);
      }
    }
  });

  test('have no option that a global one would shadow', () => {
    const taken = new Set(Object.keys(globalOptions));
    // `--input FILE`, as others have it; --no-input is a switch of its own.
    const allowed = new Set(['api input', 'generate input']);
    const shadowed = commands.flatMap((one) =>
      Object.keys(one.options ?? {})
        .filter((name) => taken.has(name))
        .map((name) => `${one.name} ${name}`),
    );
    expect(shadowed.filter((both) => !allowed.has(both))).toEqual([]);
  });

  test('tell --input of a body from --no-input', async () => {
    const { asked } = await parse(words('api POST /v1/x --input body.json --no-input'), entries);
    expect(asked?.options['input']).toBe('body.json');
    expect(globalFlagsFrom(asked?.globals ?? {}).input).toBe(false);
    const without = (await parse(words('api POST /v1/x --no-input'), entries)).asked;
    expect(without?.options['input']).toBeUndefined();
  });
});
