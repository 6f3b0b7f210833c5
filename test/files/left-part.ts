/** What a process that is gone has left of a file. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { newOwner } from '../../src/files/owner.js';

/** Of a process that is gone. */
const deadPid = Number(spawnSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' }).stdout);

interface Changes {
  readonly owner?: Readonly<Record<string, unknown>>;
  readonly note?: Readonly<Record<string, unknown>>;
}

/** The text of a note: that its owner died at. */
export async function deadNote({ owner = {}, note = {} }: Changes = {}): Promise<string> {
  const dead = { ...(await newOwner()), began: undefined, id: 'gone', pid: deadPid, ...owner };
  return JSON.stringify({ svc: 'part of a file', claim: 'gone', owner: dead, ...note });
}

/** Leaves NAME.part and its note. */
export async function leftPart(path: string, bytes: string, changes?: Changes): Promise<void> {
  writeFileSync(`${path}.part`, bytes);
  writeFileSync(`${path}.part.json`, await deadNote(changes));
}
