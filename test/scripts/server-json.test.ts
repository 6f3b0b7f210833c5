import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { mcpName, serverJson } from '../../scripts/release/server-json.js';
import { parseLine } from '../../src/cli/program.js';
import { entries } from '../../src/commands/index.js';
import { root } from '../docs/pages.js';

/** The rules of the schema of 2025-12-11 for what server.json has; a field more is not known to it. */
const input = {
  description: z.optional(z.string()),
  format: z.optional(z.enum(['string', 'number', 'boolean', 'filepath'])),
  default: z.optional(z.string()),
  isSecret: z.optional(z.boolean()),
};
const exactVersion = z.string().check(z.regex(/^\d+\.\d+\.\d+(-[\w.-]+)?$/));
const Argument = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('positional'), value: z.string(), ...input }),
  z.strictObject({ type: z.literal('named'), name: z.string(), ...input }),
]);
const Package = z.strictObject({
  registryType: z.literal('npm'),
  identifier: z.string(),
  version: exactVersion,
  runtimeHint: z.literal('npx'),
  transport: z.strictObject({ type: z.literal('stdio') }),
  packageArguments: z.array(Argument),
  environmentVariables: z.array(
    z.strictObject({ name: z.string().check(z.regex(/^SVC_/)), ...input }),
  ),
});
const Server = z.strictObject({
  $schema: z.url(),
  name: z.string().check(z.regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/), z.maxLength(200)),
  description: z.string().check(z.minLength(1), z.maxLength(100)),
  version: exactVersion,
  repository: z.strictObject({ url: z.url(), source: z.literal('github') }),
  packages: z.tuple([Package]),
});
const Manifest = z.looseObject({ name: z.string(), version: z.string(), description: z.string() });
const { name, version, description } = Manifest.parse(
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')),
);
// As scripts/release/about.mjs has it.
const summary = description.replace(/^The /, '').replace(/, with .*/, '');

it('describes svc mcp to registries by their rules, from package.json', () => {
  const text = serverJson({ name, version, summary, repository: 'github:Some-One/svc' }) ?? '';
  const server = Server.parse(JSON.parse(text));
  expect(server).toMatchObject({ name: 'io.github.Some-One/svc', version });
  expect(server.repository.url).toBe('https://github.com/Some-One/svc');
  const [{ identifier, packageArguments, environmentVariables, ...one }] = server.packages;
  expect([identifier, one.version]).toEqual([name, version]);
  const words = packageArguments.flatMap((argument) =>
    argument.type === 'named' ? [argument.name, argument.default ?? ''] : [argument.value],
  );
  expect(words).toEqual(['mcp', '--max-cost', '50']);
  expect(parseLine(words, entries).refusal).toBeUndefined();
  const secrets = environmentVariables.filter(({ isSecret }) => isSecret);
  expect(secrets.map((variable) => variable.name)).toEqual(['SVC_API_KEY']);
});

it.each([
  'github:Some-One/svc.js',
  'Some-One/svc.js',
  'https://github.com/Some-One/svc.js',
  'git+https://github.com/Some-One/svc.js.git',
  'git+ssh://git@github.com/Some-One/svc.js.git',
  'git@github.com:Some-One/svc.js.git',
])('reads the repository %s', (url) => {
  const release = { name, version, summary, repository: { url } };
  expect(mcpName(release)).toBe('io.github.Some-One/svc');
  expect(mcpName({ repository: url })).toBe('io.github.Some-One/svc');
  expect(serverJson(release)).toContain('"https://github.com/Some-One/svc.js"');
});

it('leaves server.json and mcpName out without a repository, and refuses another host', () => {
  expect(mcpName({})).toBeUndefined();
  expect(serverJson({ name, version, summary })).toBeUndefined();
  for (const repository of [
    'https://gitlab.com/a/b',
    'gitlab:a/b',
    'https://github.com.evil.com/a/b',
  ]) {
    expect(() => mcpName({ repository })).toThrow('is not on GitHub');
  }
});
