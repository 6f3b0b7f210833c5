/** Which process owns something, and whether it is still running. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { kill, pid } from 'node:process';
import * as z from 'zod/mini';
import { codeOf } from '../lib/error-code.js';

export const Owner = z.object({
  id: z.string(),
  pid: z.number(),
  host: z.string(),
  /** Of the system's current boot, where known: after a boot, a process id means nothing. */
  boot: z.optional(z.string()),
  /** The start time of the process, where known: process ids are reused. */
  began: z.optional(z.string()),
});
export type Owner = z.output<typeof Owner>;

/** What this process owns: an earlier process may have had its id. */
const own = new Set<string>();

export async function newOwner(): Promise<Owner> {
  const id = randomBytes(6).toString('hex');
  own.add(id);
  const [boot, process] = await Promise.all([bootId(), processAt('self')]);
  return { id, pid, host: hostname(), boot, began: process?.began };
}

export function releaseOwner({ id }: Pick<Owner, 'id'>): void {
  own.delete(id);
}

export async function isGone(owner: Owner | undefined): Promise<boolean> {
  if (!owner) return true;
  if (owner.host !== hostname()) return false;
  if (owner.boot !== (await bootId())) return true;
  if (owner.pid === pid) return !own.has(owner.id);
  try {
    kill(owner.pid, 0);
  } catch (error) {
    // Any other error means that the process exists.
    if (codeOf(error) === 'ESRCH') return true;
  }
  const process = await processAt(owner.pid);
  if (!process) return false;
  const isOver = process.state === 'Z' || process.state === 'X';
  return isOver || (owner.began !== undefined && owner.began !== process.began);
}

/** Those whose process is gone. */
export async function abandoned<One extends { readonly owner?: Owner }>(all: readonly One[]) {
  const areGone = await Promise.all(all.map(({ owner }) => isGone(owner)));
  return all.filter((_, index) => areGone[index]);
}

/** A process on Linux (proc(5), /proc/PID/stat). */
async function processAt(id: number | 'self') {
  const stat = await contentOf(`/proc/${String(id)}/stat`);
  // The program's name comes first, in brackets, and may contain anything.
  const [state, ...fields] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  const began = fields[18];
  return began === undefined ? undefined : { state, began };
}

const bootId = () => contentOf('/proc/sys/kernel/random/boot_id');

function contentOf(path: string): Promise<string | undefined> {
  return readFile(path, 'latin1').then(
    (text) => text.trim(),
    () => undefined,
  );
}
