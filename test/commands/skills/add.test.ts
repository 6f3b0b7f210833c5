import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../../helpers/folder.js';
import { run } from '../../helpers/run.js';

/** A home folder with the folders of some agents; `svc` runs there. */
function homeWith(...agents: string[]) {
  const home = testFolder();
  for (const name of agents) mkdirSync(join(home, name), { recursive: true });
  const svc = (line: string) => run(line, { env: { HOME: home } });
  const fileOf = (agent: string) => join(home, agent, 'skills/svc/SKILL.md');
  return { home, svc, fileOf };
}

describe('svc skills add', () => {
  it('writes a file for each agent that is used on this machine, again after an update', async () => {
    const { svc, fileOf } = homeWith('.claude', '.agents');
    const files = [fileOf('.agents'), fileOf('.claude')];
    const written = { stdout: files.map((path) => `${path}\n`).join(''), stderr: '', code: 0 };
    expect(await svc('skills add')).toMatchObject(written);
    expect(await svc('skills add')).toMatchObject(written);
    expect(JSON.parse((await svc('skills add --json')).stdout)).toEqual({
      files: files.map((path) => ({ path })),
    });
    for (const path of files) expect(readdirSync(dirname(path))).toEqual(['SKILL.md']);
  });

  it.each([
    ['Codex and others share a folder', ['.codex', '.cursor', '.config/opencode'], ['.agents']],
    ['Claude Code has its own', ['.claude', '.codex'], ['.agents', '.claude']],
    ['the shared folder is there', ['.agents'], ['.agents']],
  ])('writes one file for each agent where %s', async (_, used, folders) => {
    const { svc, fileOf } = homeWith(...used);
    const stdout = folders.map((folder) => `${fileOf(folder)}\n`).join('');
    expect(await svc('skills add')).toMatchObject({ stdout, stderr: '', code: 0 });
    for (const folder of used) expect(existsSync(fileOf(folder))).toBe(folders.includes(folder));
  });

  it.each([
    ['.claude/skills', '../.agents/skills'],
    ['.claude/skills/svc', '../../.agents/skills/svc'],
  ])('writes once where %s is a link to the shared folder', async (link, to) => {
    // The shared folder is made before the link is followed.
    const { home, svc, fileOf } = homeWith('.codex', dirname(link));
    symlinkSync(to, join(home, link));
    const written = { stdout: `${fileOf('.agents')}\n`, stderr: '', code: 0 };
    expect(await svc('skills add')).toMatchObject(written);
    expect(await svc('skills add')).toMatchObject(written);
    expect(readFileSync(fileOf('.claude'), 'utf8')).toBe(readFileSync(fileOf('.agents'), 'utf8'));
  });

  it('writes one whole file where three commands run at once, in a folder of any name', async () => {
    const home = join(testFolder(), 'Дом с пробелом');
    mkdirSync(join(home, '.codex'), { recursive: true });
    const path = join(home, '.agents/skills/svc/SKILL.md');
    const add = () => run('skills add', { env: { HOME: home } });
    const ended = await Promise.all([add(), add(), add()]);
    expect(ended).toContainEqual(expect.objectContaining({ stdout: `${path}\n`, code: 0 }));
    for (const { code, stderr } of ended) {
      if (code !== 0) expect(stderr).toMatch(/another svc is writing .*\nhint: wait for it|exists/);
    }
    expect(readdirSync(dirname(path))).toEqual(['SKILL.md']);
    const { stdout } = await run('skills add --dry-run');
    expect(readFileSync(path, 'utf8')).toBe(stdout);
  });

  it('says what is in the way, and leaves it there', async () => {
    const { home, svc, fileOf } = homeWith('.codex');
    writeFileSync(join(home, '.agents'), 'mine');
    const stderr = `error: cannot replace ${fileOf('.agents')}: part of the path is not a folder\n`;
    expect(await svc('skills add')).toMatchObject({ stdout: '', stderr, code: 11 });
    expect(readFileSync(join(home, '.agents'), 'utf8')).toBe('mine');
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
    expect(existsSync(fileOf('.agents'))).toBe(false);
    expect(readFileSync(path, 'utf8')).toBe(changed);
    expect(await svc('skills add --force')).toMatchObject({ code: 0 });
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('makes the folder of an agent that is named, and takes any folder that exists', async () => {
    const { home, svc, fileOf } = homeWith();
    expect(await svc('skills add --target codex')).toMatchObject({
      stdout: `${fileOf('.agents')}\n`,
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
    mkdirSync(dirname(fileOf('.agents')), { recursive: true });
    symlinkSync(join(home, 'missing'), fileOf('.agents'));
    expect(await svc('skills add --target codex')).toMatchObject({
      stdout: '',
      stderr: `error: ${fileOf('.agents')} exists, and was not written by svc or was changed since\nhint: to replace it, add --force\n`,
      code: 11,
    });
    expect(existsSync(fileOf('.agents'))).toBe(false);
    expect(await svc('skills add --target codex --force')).toMatchObject({ code: 0 });
    expect(readFileSync(fileOf('.agents'), 'utf8')).toContain('# svc\n');
  });
});
