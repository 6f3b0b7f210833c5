/** Which process owns something, and whether it is still running. */
import { hash, randomBytes } from 'node:crypto';
import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { kill, pid } from 'node:process';
import * as z from 'zod/mini';
import { codeOf } from '../lib/error-code.js';

/** Where a process runs, as far as the system says. */
const ProcessPlace = z.object({
  host: z.string(),
  /** Of the system's current boot, also in containers: after a boot, a process id means nothing. */
  boot: z.optional(z.string()),
  /** Of process ids: those of another one, such as a container's, mean nothing here. */
  namespace: z.optional(z.string()),
  /** A hash of the machine's id, which stays when its name changes. */
  machine: z.optional(z.string()),
});
type ProcessPlace = z.output<typeof ProcessPlace>;

export const Owner = z.extend(ProcessPlace, {
  id: z.string(),
  pid: z.number(),
  /** The start time of the process, where known: process ids are reused. */
  began: z.optional(z.string()),
});
export type Owner = z.output<typeof Owner>;

/** `unknown`: it may be running where this process cannot see it. */
type OwnerState = 'running' | 'gone' | 'unknown';

/** What this process owns: an earlier process may have had its id. */
const own = new Set<string>();

export async function newOwner(): Promise<Owner> {
  const id = randomBytes(6).toString('hex');
  own.add(id);
  const [here, process] = await Promise.all([thisPlace(), processAt('self')]);
  return { id, pid, ...here, began: process?.began };
}

export function releaseOwner({ id }: Pick<Owner, 'id'>): void {
  own.delete(id);
}

export async function stateOf(owner: Owner | undefined, here?: ProcessPlace): Promise<OwnerState> {
  if (!owner) return 'gone';
  if (owner.pid === pid && own.has(owner.id)) return 'running';
  const { boot, host, machine, namespace } = here ?? (await thisPlace());
  if (owner.boot !== boot) {
    const isKnown = owner.machine !== undefined && machine !== undefined;
    const isHere = isKnown ? owner.machine === machine : owner.host === host;
    return isHere ? 'gone' : 'unknown';
  }
  // A host name may change, and containers may share one. Earlier versions recorded nothing else.
  const isSeen = owner.namespace ? owner.namespace === namespace : owner.host === host;
  if (!isSeen) return 'unknown';
  if (owner.pid === pid) return 'gone';
  try {
    kill(owner.pid, 0);
  } catch (error) {
    // Any other error means that the process exists.
    if (codeOf(error) === 'ESRCH') return 'gone';
  }
  const process = await processAt(owner.pid);
  if (!process) return 'running';
  const isOver = process.state === 'Z' || process.state === 'X';
  const isOther = owner.began !== undefined && owner.began !== process.began;
  return isOver || isOther ? 'gone' : 'running';
}

/** Those whose process is gone, as far as can be known. */
export async function abandoned<One extends { readonly owner?: Owner }>(all: readonly One[]) {
  const states = await Promise.all(all.map(({ owner }) => stateOf(owner)));
  return all.filter((_, index) => states[index] !== 'running');
}

async function thisPlace(): Promise<ProcessPlace> {
  const [boot, namespace, machineId = ''] = await Promise.all([
    contentOf('/proc/sys/kernel/random/boot_id'),
    readlink('/proc/self/ns/pid').catch(() => undefined),
    contentOf('/etc/machine-id'),
  ]);
  // Images of systems may hold another word. The id itself is confidential (machine-id(5)).
  const isId = /^[0-9a-f]{32}$/.test(machineId);
  const machine = isId ? hash('sha256', `svc ${machineId}`).slice(0, 16) : undefined;
  return { host: hostname(), boot, namespace, machine };
}

/** A process on Linux (proc(5), /proc/PID/stat). */
async function processAt(id: number | 'self') {
  const stat = await contentOf(`/proc/${String(id)}/stat`);
  // The program's name comes first, in brackets, and may contain anything.
  const [state, ...fields] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  const began = fields[18];
  return began === undefined ? undefined : { state, began };
}

function contentOf(path: string): Promise<string | undefined> {
  return readFile(path, 'latin1').then(
    (text) => text.trim(),
    () => undefined,
  );
}
