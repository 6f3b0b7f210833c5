/** Tables have the same columns for people, for pipes and in the help. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { entries } from '../../src/commands/index.js';
import { run, type RunOptions } from '../helpers/run.js';

/** Each command that declares columns, with what makes it print them. */
const lines: readonly string[] = [
  ...['jobs list', 'jobs wait @last', 'image list', 'voices list', 'usage list', 'usage chart'],
  ...['models list', 'models all', 'models pricing', 'models catalog', 'models media'],
  ...['models capabilities', 'tickets list', 'logs list', 'logs conversations', 'config list'],
  ...['config profiles', 'alias list', 'templates list', 'batch status out.jsonl', 'search cats'],
  ...['jobs show @last', 'models show local/guide', 'usage show RECORD', 'feedback show REPORT'],
  ...['keys show', 'webhooks show', 'webhooks set --media https://a.test', 'whoami'],
  ...['keys list', 'usage keys', 'doctor', 'budget list', 'decide --state x --noul spam=?'],
];

const declared = new Map(
  entries
    .flatMap((entry) =>
      'commands' in entry
        ? entry.commands.map((one) => [`${entry.name} ${one.name}`, one.columns] as const)
        : [[entry.name, entry.columns] as const],
    )
    .flatMap(([path, columns]) => (columns ? [[path, columns] as const] : [])),
);
const pathOf = (line: string) =>
  [...declared.keys()].find((path) => `${line} `.startsWith(`${path} `));

let home: string;
const ids: Record<string, string> = {};
const file = (name: string) => join(home, name);
const svc = (line: string, how: RunOptions = {}) =>
  run(
    `--local ${line}`
      .replace('out.jsonl', file('out.jsonl'))
      .replace(/[A-Z]{6}/, (word) => ids[word] ?? word),
    {
      ...{ home, columns: 400, env: { SVC_BUDGET: '5' } },
      ...how,
    },
  );

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'svc-columns-'));
  await svc('generate local/canvas boat --no-wait');
  await svc('chat -m local/echo hi');
  writeFileSync(file('out.jsonl'), '');
  ids['RECORD'] = (await svc('usage list --limit 1')).stdout.trim().split('\t').at(-1) ?? '';
  const report =
    'feedback create --category other --summary Summary --details xxxxxxxxxxxxxxxxxxxx';
  ids['REPORT'] = (await svc(report)).stdout.trim();
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

test('every command that declares columns is tried', () => {
  expect(lines.map(pathOf).sort()).toEqual([...declared.keys()].sort());
});

test.each(lines)(
  'svc %s has the columns of its help, in a pipe and on a terminal',
  async (line) => {
    const columns = declared.get(pathOf(line) ?? '') ?? [];
    const { stdout, stderr } = await svc(`${line} --header`);
    const [head, ...rows] = stdout.replace(/\n$/, '').split('\n');
    expect(head?.split('\t'), stderr).toEqual(columns);
    for (const row of rows) expect(row.split('\t')).toHaveLength(columns.length);
    const help = (await svc(`${line} --help`)).stdout.replace(/\s+/g, ' ');
    expect(help).toContain(`A pipe gets tab-separated lines: ${columns.join(', ')}.`);
    // A column that is empty, or belongs below the others, is left out for people; the order stays.
    const shown = await svc(line, { tty: { stdout: true } });
    const titles = shown.stdout.split('\n')[0]?.split(/ {2,}/) ?? [];
    const names = titles.map((title) => title.toLowerCase().replaceAll(' ', '_'));
    // The results of a search are no table for people; there is no voice.
    // Fields have no titles.
    const isTable = !/^(search|voices)/.test(line) && columns[0] !== 'name';
    if (isTable && shown.stdout !== '')
      expect(names).toEqual(columns.filter((name) => names.includes(name)));
  },
);
