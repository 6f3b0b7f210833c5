import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod/mini';
import { mapOf } from '../../../src/cli/map.js';
import { entries } from '../../../src/commands/index.js';
import { testFolder } from '../../helpers/folder.js';
import { PollingClock } from '../../helpers/manual-clock.js';
import { jsonOf, run, words } from '../../helpers/run.js';
import { images } from '../tickets/scene.js';

const { stdout: skill } = await run('skills add --dry-run');

it('SKILL.md has at most 4 KB, a head that agents can read, and what charges', async () => {
  expect(Buffer.byteLength(skill)).toBeLessThanOrEqual(4096);
  expect(await jsonOf(run('skills add --dry-run --json'))).toEqual({ text: skill });
  const head = /^---\n([^]*?\n)---\n\n# svc\n/.exec(skill)?.[1] ?? '';
  // The bounds of agentskills.io; the name is that of the folder.
  const Head = z.strictObject({
    name: z.literal('svc'),
    description: z.string().check(z.maxLength(1024)),
  });
  expect(Head.parse(parse(head)).description).toContain('Use it when');
  const [, charging = ''] = /^Only these may charge: (.*)\.$/m.exec(skill) ?? [];
  const { commands = [] } = await mapOf([], entries, '');
  const wanted = commands.filter(({ charges, deprecated }) => charges && !deprecated);
  expect(charging.split(', ')).toEqual(wanted.map(({ path }) => `\`${path}\``));
});

it('does each task of SKILL.md by its commands, and pays once when they are run again', async () => {
  const folder = testFolder();
  const home = testFolder();
  const clock = new PollingClock({ now: Date.UTC(2026, 10, 29) });
  writeFileSync(
    join(folder, 'requests.jsonl'),
    ['1', '2'].map((id) => `{"custom_id": "${id}", "prompt": "hi"}\n`).join(''),
  );
  const here = (name: string) => join(folder, name);
  const svc = (line: string) => {
    const own = words(line.replace(/^svc /, '').replaceAll('MODEL', 'local/guide'));
    const at = own.map((word) => (/^[a-z]+\.(png|jsonl)$/.test(word) ? here(word) : word));
    return run(['--local', ...at], { home, clock });
  };
  const balance = () => jsonOf(svc('balance --json'));
  const loops = Array.from(skill.matchAll(/^```sh\n([^]*?)```$/gm), ([, lines = '']) =>
    lines.trim().split('\n'),
  );
  expect(loops.map(({ length }) => length)).toEqual([2, 3, 3]);
  for (const line of loops.flat()) {
    expect({ line, ...(await svc(line)) }).toMatchObject({ line, code: 0 });
  }
  expect(existsSync(here('lighthouse.png'))).toBe(true);
  const before = await balance();
  const [picture = '', batch = ''] = [loops[0]?.[1], loops[1]?.[1]];
  expect(await svc(picture)).toMatchObject({
    code: 11,
    stderr: expect.stringContaining('file_exists'),
  });
  expect(await jsonOf(svc(batch))).toMatchObject({ done: 2, left: 0 });
  expect(await balance()).toEqual(before);
  const total = { total: { calls: 3 } };
  expect(await jsonOf(svc('usage chart --by model --since 7d --json'))).toMatchObject(total);
});

it('names no command and option in SKILL.md that svc does not have', async () => {
  const named = skill.matchAll(/`svc ([^`]+)`/g);
  const home = testFolder();
  const screen = join(home, 'screen.png');
  writeFileSync(screen, images.png);
  for (const [, line = ''] of named) {
    const asked = line
      .replaceAll('COMMAND', 'chat')
      .replaceAll('TEXT', '"Answers stop early"')
      .replace('screen.png', screen)
      .replace('-m MODEL "PROMPT" --schema schema.json', `-m local/guide x --schema '{}'`)
      .replace('MODEL "PROMPT"', 'local/canvas x --quote');
    if (/^(mcp|budget set) /.test(asked)) continue;
    expect({ line, ...(await run(['--local', ...words(asked)], { home })) }).toMatchObject({
      line,
      code: 0,
    });
  }
});
