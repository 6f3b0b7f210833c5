/** 24 commands at once, most of which wait for a processor: no limit of time refuses good input. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { svc, type Ended } from '../../test/bin/svc.js';
import { testFolder } from '../../test/helpers/folder.js';

const commands = 24;
const parameters = {
  type: 'object',
  properties: { city: { type: 'string', pattern: '^[a-z]+$' }, days: { $ref: '#/$defs/days' } },
  required: ['city', 'days'],
  $defs: { days: { type: 'integer', minimum: 1, maximum: 7 } },
};

it('24 commands with a tool, a schema or a filter all succeed', { timeout: 600_000 }, async () => {
  const folder = testFolder();
  const tool = join(folder, 'weather.json');
  writeFileSync(tool, JSON.stringify({ parameters, argv: ['echo', 'sunny for', '{days}'] }));
  const schema = JSON.stringify(parameters);
  const lines = [
    ['--tool', tool, '--approve', 'always', 'weather'],
    ['--schema', schema, 'answer'],
    ['--jq', '.text', '--schema', 'name, age int', 'answer'],
  ];
  const all: Promise<Ended>[] = [];
  while (all.length < commands) {
    const words = lines[all.length % lines.length] ?? [];
    all.push(svc(['--local', 'chat', '-m', 'local/echo', ...words]));
  }
  const failed = (await Promise.all(all)).filter(({ code }) => code !== 0);
  expect(failed).toEqual([]);
});
