/** Request bodies too large for a line of the ledger, each in a file of its own. */
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileTrouble } from '../files/file-trouble.js';
import type { KeptBody } from './ledger-events.js';
import { makeFolder } from '../lib/own-file.js';
import { syncFolder } from './sync-folder.js';

/** A body up to this many bytes stands in its line. */
export const mostLineBytes = 32 * 1024;

export interface Bodies {
  /**
   * Writes a body; when it resolves, the body is on disk.
   * @throws LocalFileError when it cannot be written; no part of it stays. What the source throws.
   */
  keep(pieces: AsyncIterable<Uint8Array>): Promise<KeptBody>;
  pathOf(body: KeptBody): string;
  /** Whether it is there as it was written, as far as its length tells. */
  isWhole(body: KeptBody): boolean;
  /** Once the service has the job, or surely never will, nobody sends it again. */
  drop(body: KeptBody): void;
  /**
   * Removes what a crash left before its job was written down: bodies that are not among `wanted`
   * and older than a process takes to write one.
   */
  sweep(wanted: readonly KeptBody[], nowMs: number): void;
}

const dayMs = 24 * 60 * 60 * 1000;

/** @param folder made when the first body is kept. */
export function ledgerBodies(folder: string): Bodies {
  const pathOf = ({ name }: Pick<KeptBody, 'name'>) => join(folder, name);
  return {
    pathOf,
    keep: async (pieces) => {
      const name = `${randomBytes(16).toString('hex')}.json`;
      const path = pathOf({ name });
      try {
        makeFolder(folder);
        const written = await writeWhole(path, pieces);
        syncFolder(folder);
        return { name, ...written };
      } catch (error) {
        await rm(path, { force: true }).catch(() => undefined);
        throw fileTrouble(
          error,
          `the request cannot be kept in ${path}`,
          'make room or access, then run it again: nothing was sent',
        );
      }
    },
    isWhole: (body) => {
      try {
        return statSync(pathOf(body)).size === body.bytes;
      } catch {
        return false;
      }
    },
    drop: (body) => {
      remove(pathOf(body));
    },
    sweep: (wanted, nowMs) => {
      const names = new Set(wanted.map(({ name }) => name));
      for (const name of namesIn(folder)) {
        if (names.has(name) || !/^[0-9a-f]{32}\.json$/.test(name)) continue;
        const path = pathOf({ name });
        if (nowMs - changedAtMs(path, nowMs) > dayMs) remove(path);
      }
    },
  };
}

async function writeWhole(
  path: string,
  pieces: AsyncIterable<Uint8Array>,
): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  const handle = await open(path, 'w', 0o600);
  try {
    for await (const piece of pieces) {
      // Takes all of it, or throws.
      await handle.writeFile(piece);
      hash.update(piece);
      bytes += piece.length;
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { bytes, sha256: hash.digest('hex') };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function changedAtMs(path: string, fallback: number): number {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return fallback;
  }
}

/** What cannot be removed is in nobody's way. */
function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The next sweep tries again.
  }
}
