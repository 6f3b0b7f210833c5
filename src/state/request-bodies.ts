/** Requests that were sent and are too large for an event of the ledger, as files beside it. */
import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { fileTrouble } from '../files/file-trouble.js';
import { dayMs } from '../lib/moment.js';
import { makeFolder, syncFolder } from '../lib/own-file.js';

const bodyName = /^[0-9a-f]{8,64}\.json$/;

export const KeptBody = z.object({ name: z.string().check(z.regex(bodyName)), bytes: z.number() });
type KeptBody = z.output<typeof KeptBody>;

/** A body up to this many bytes is kept in its event; a larger one is a file of its own. */
export const maxEventBodyBytes = 32 * 1024;

export class RequestBodies {
  constructor(private readonly folder: string) {}

  pathOf({ name }: Pick<KeptBody, 'name'>): string {
    return join(this.folder, name);
  }

  async keep(content: string | AsyncIterable<Uint8Array>): Promise<KeptBody> {
    const name = `${randomBytes(16).toString('hex')}.json`;
    const path = this.pathOf({ name });
    try {
      makeFolder(this.folder);
      await writeFile(path, content, { mode: 0o600, flush: true });
      syncFolder(this.folder);
      return { name, bytes: statSync(path).size };
    } catch (error) {
      this.drop({ name });
      const hint = 'make room or access, then run it again: nothing was sent';
      throw fileTrouble(error, `the request cannot be kept in ${path}`, hint);
    }
  }

  isWhole(body: KeptBody): boolean {
    return statOf(this.pathOf(body))?.size === body.bytes;
  }

  /** What cannot be removed stays until the next sweep. */
  drop(body: Pick<KeptBody, 'name'>): void {
    try {
      rmSync(this.pathOf(body), { force: true });
    } catch {
      return;
    }
  }

  /** Removes what a crash left before its job was written down, unless that was within a day. */
  sweep(needed: readonly KeptBody[], nowMs: number): void {
    const names = new Set(needed.map(({ name }) => name));
    for (const name of statOf(this.folder) ? readdirSync(this.folder) : []) {
      const isOld = nowMs - (statOf(this.pathOf({ name }))?.mtimeMs ?? nowMs) > dayMs;
      if (isOld && !names.has(name) && bodyName.test(name)) this.drop({ name });
    }
  }
}

function statOf(path: string) {
  return statSync(path, { throwIfNoEntry: false });
}
