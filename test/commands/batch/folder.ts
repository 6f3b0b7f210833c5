/** `svc` in a folder of the test's own. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { recordOf } from '../../../src/lib/json.js';
import { testFolder } from '../../helpers/folder.js';
import { run, type RunOptions } from '../../helpers/run.js';

export function batchFolder(files: Readonly<Record<string, string>> = {}) {
  const folder = testFolder();
  const path = (name: string) => join(folder, name);
  const write = (name: string, text: string) => {
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), text);
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  const clean = (text: string) => text.replaceAll(`${folder}/`, '');
  const read = (name: string) =>
    existsSync(path(name)) ? readFileSync(path(name), 'utf8') : undefined;
  return {
    path,
    write,
    read,
    /** The custom_ids of a file of lines. */
    ids: (name: string) =>
      (read(name) ?? '')
        .split('\n')
        .slice(0, -1)
        .map((line) => recordOf(JSON.parse(line))['custom_id']),
    /** Files named in the line are those of the folder, which is left out of what svc says. */
    svc: async (line: string, options: RunOptions = {}) => {
      const words = line.replaceAll(/\b[\w-]+\.(jsonl|csv)\b/g, path);
      const { code, stdout, stderr } = await run(words, { home: folder, ...options });
      return { code, stdout: clean(stdout), stderr: clean(stderr) };
    },
  };
}

/** A line of an input: a chat with this question. */
export function chatLine(id: string, content: string, more: object = {}): string {
  const body = { model: 'local/guide', messages: [{ role: 'user', content }], ...more };
  return `${JSON.stringify({ custom_id: id, method: 'POST', url: '/v1/chat/completions', body })}\n`;
}
