import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mapOf } from '../../../src/cli/map.js';
import { parseLine } from '../../../src/cli/program.js';
import { entries } from '../../../src/commands/index.js';
import { testFolder } from '../../helpers/folder.js';
import { run } from '../../helpers/run.js';

/** A home folder with the folders of some agents; `svc` runs there. */
function homeWith(...agents: string[]) {
  const home = testFolder();
  for (const name of agents) mkdirSync(join(home, name));
  const svc = (line: string) => run(line, { env: { HOME: home } });
  const fileOf = (agent: string) => join(home, agent, 'skills/svc/SKILL.md');
  return { home, svc, fileOf };
}

describe('svc skills add', () => {
  it('writes a file for each agent that is used on this machine, again after an update', async () => {
    const { svc, fileOf } = homeWith('.claude', '.cursor');
    const files = [fileOf('.claude'), fileOf('.cursor')];
    const written = { stdout: files.map((path) => `${path}\n`).join(''), stderr: '', code: 0 };
    expect(await svc('skills add')).toMatchObject(written);
    expect(existsSync(fileOf('.codex'))).toBe(false);
    expect(await svc('skills add')).toMatchObject(written);
    expect(JSON.parse((await svc('skills add --json')).stdout)).toEqual({
      files: files.map((path) => ({ path })),
    });
    for (const path of files) expect(readdirSync(dirname(path))).toEqual(['SKILL.md']);
  });

  it('has every command, with what charges apart, in at most 4 KB', async () => {
    const { stdout } = await homeWith().svc('skills add --dry-run');
    expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(4096);
    const { stdout: json } = await homeWith().svc('skills add --dry-run --json');
    expect(JSON.parse(json)).toEqual({ text: stdout });
    expect(stdout).toMatch(/^---\nname: svc\ndescription: [^\n]{100,1024}\n---\n\n# svc\n/);
    const [, charging = '', free = ''] = stdout.split(/^## /m);
    const paths = [
      ...charging.matchAll(/^- `svc ([a-z -]+)()`: /gm),
      ...free.matchAll(/`svc ([a-z-]+)(?: ([a-z|-]+))?`/g),
    ].map(([, name = '', verbs = '']) => verbs.split('|').map((verb) => `${name} ${verb}`.trim()));
    const { commands = [] } = await mapOf([], entries, '');
    const current = commands.filter(({ deprecated }) => !deprecated);
    const wanted = [true, false].flatMap((one) => current.filter(({ charges }) => charges === one));
    expect(paths.flat()).toEqual(wanted.map(({ path }) => path));
    for (const [, line = ''] of stdout.matchAll(/`svc ([a-z -]+)`/g)) {
      const { refusal = '' } = parseLine(line.split(' '), entries);
      expect(refusal.replace(/.*missing argument.*/, '')).toBe('');
    }
  });

  it('replaces no file that it did not write as it is, unless with --force', async () => {
    const { svc, fileOf } = homeWith('.claude', '.codex');
    await svc('skills add --target claude');
    const path = fileOf('.claude');
    const text = readFileSync(path, 'utf8');
    const changed = text.replace('# svc\n', '# svc\n\nAsk me before you spend.\n');
    writeFileSync(path, changed);
    const stderr = `error: ${path} exists, and was not written by svc or was changed since\nhint: to replace it, add --force\n`;
    expect(await svc('skills add')).toMatchObject({ stdout: '', stderr, code: 11 });
    expect(existsSync(fileOf('.codex'))).toBe(false);
    expect(readFileSync(path, 'utf8')).toBe(changed);
    expect(await svc('skills add --force')).toMatchObject({ code: 0 });
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('makes the folder of an agent that is named, and takes any folder that exists', async () => {
    const { home, svc, fileOf } = homeWith();
    expect(await svc('skills add --target codex')).toMatchObject({
      stdout: `${fileOf('.codex')}\n`,
    });
    const path = join(home, 'svc/SKILL.md');
    expect(await svc(`skills add --target ${home}`)).toMatchObject({
      stdout: `${path}\n`,
      code: 0,
    });
    expect(await svc(`skills add --target ${home}/claud`)).toMatchObject({
      stderr: `error: there is no folder ${home}/claud\nhint: create it first: mkdir -p ${home}/claud\n`,
      code: 11,
    });
    expect(await svc("skills add --target ''")).toMatchObject({
      stderr: 'error: --target needs an agent or a folder\nhint: svc skills add --help\n',
      code: 2,
    });
    expect((await svc('skills add --target claud')).stderr).toContain('; did you mean claude?\n');
  });

  it('writes nothing where no agent is used, or a folder is in the way', async () => {
    const { home, svc, fileOf } = homeWith();
    expect(await svc('skills add')).toMatchObject({
      stderr:
        'error: no folder of a coding agent was found\nhint: name one: svc skills add --target claude\n',
      code: 2,
    });
    expect(readdirSync(home)).toEqual([]);
    mkdirSync(fileOf('.claude'), { recursive: true });
    expect(await svc('skills add --target claude')).toMatchObject({ stdout: '', code: 11 });
    expect(await svc('skills add --target claude --force')).toMatchObject({ stdout: '', code: 11 });
    mkdirSync(dirname(fileOf('.codex')), { recursive: true });
    symlinkSync(join(home, 'missing'), fileOf('.codex'));
    expect(await svc('skills add --target codex')).toMatchObject({
      stdout: '',
      stderr: `error: ${fileOf('.codex')} exists, and was not written by svc or was changed since\nhint: to replace it, add --force\n`,
      code: 11,
    });
    expect(existsSync(fileOf('.codex'))).toBe(false);
    expect(await svc('skills add --target codex --force')).toMatchObject({ code: 0 });
    expect(readFileSync(fileOf('.codex'), 'utf8')).toContain('# svc\n');
  });
});
