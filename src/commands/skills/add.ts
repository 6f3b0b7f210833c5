import { createHash } from 'node:crypto';
import { existsSync, lstatSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Context, Handler } from '../../context.js';
import { LocalFileError, UsageError } from '../../errors.js';
import { codeOf, fileTrouble } from '../../files/file-trouble.js';
import { PartFile } from '../../files/part-file.js';
import { createFolder } from '../../files/target.js';
import { guess, shellWord } from '../../lib/names.js';
import { readOwn } from '../../lib/own-file.js';
import { homeFolders } from '../../state/paths.js';
import { type add, agentFolders } from './index.js';
import { skillText } from './skill.js';

export const run: Handler<typeof add> = async (context, { options }) => {
  const { flags, out } = context;
  const text = signed(skillText(await context.program.map('')));
  if (flags.dryRun) return flags.json ? out.json({ text }) : out.text(text);
  const folders = await skillFolders(context, options.target);
  const files = folders.map((folder) => join(folder, 'svc', 'SKILL.md'));
  // All of them are looked at before one is written.
  const targets = files.map((path) => {
    return { kind: 'file', path, replace: options.force === true || isReplaceable(path) } as const;
  });
  const written = new Map<string, string>();
  for (const target of targets) {
    const folder = dirname(target.path);
    await createFolder(folder);
    // Where one folder is a link to another, an agent that reads both would see two skills.
    const real = await realpath(folder);
    if (written.has(real)) continue;
    await (await PartFile.open(target)).fill({}, (take) => take(Buffer.from(text)));
    written.set(real, target.path);
  }
  const paths = [...written.values()];
  if (flags.json) return out.json({ files: paths.map((path) => ({ path })) });
  await out.text(paths.map((path) => `${path}\n`).join(''));
};

/** The folders of skills that --target names; without it, those of the agents used on this machine. */
async function skillFolders({ env }: Context, target: string | undefined): Promise<string[]> {
  const [home] = homeFolders(env);
  const chosen = Object.entries(agentFolders).flatMap(([name, own]) => {
    if (!home || (target === undefined ? !existsSync(join(home, own)) : name !== target)) return [];
    // The others also read the folder that they share; a file in their own would be a second skill.
    return [join(home, name === 'claude' ? own : agentFolders.agents, 'skills')];
  });
  if (chosen.length > 0) return [...new Set(chosen)].sort();
  if (target === undefined) {
    const hint = 'name one: svc skills add --target claude';
    throw new UsageError('no folder of a coding agent was found', { code: 'no_agent', hint });
  }
  if (target === '') {
    const hint = 'svc skills add --help';
    throw new UsageError('--target needs an agent or a folder', { hint });
  }
  if ((await stat(target).catch(() => undefined))?.isDirectory()) return [resolve(target)];
  const similar = guess(target, Object.keys(agentFolders));
  const hint = `create it first: mkdir -p ${shellWord(target)}`;
  throw new LocalFileError(`there is no folder ${target}${similar}`, { code: 'no_folder', hint });
}

/** The text with a last line that shows whether it was changed since. */
function signed(text: string): string {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return `${text}\n<!-- written by svc skills add: ${hash} -->\n`;
}

/** False where there is no file. @throws LocalFileError for one that has been changed, or that svc did not write. */
function isReplaceable(path: string): boolean {
  let text = '';
  try {
    if (!lstatSync(path, { throwIfNoEntry: false })) return false;
    text = readOwn(path);
  } catch (error) {
    // A link to a file that is missing is in the way, too.
    if (codeOf(error) !== 'ENOENT') throw fileTrouble(error, `cannot replace ${path}`);
  }
  if (text === signed(text.slice(0, text.lastIndexOf('\n<!-- ')))) return true;
  throw new LocalFileError(`${path} exists, and was not written by svc or was changed since`, {
    code: 'file_exists',
    hint: 'to replace it, add --force',
  });
}
