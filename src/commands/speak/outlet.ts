/** Where speech goes: what -o says, checked before anything is spent. */
import { basename, dirname, join } from 'node:path';
import type { Context } from '../../cli/context.js';
import { UsageError } from '../../errors.js';
import { targetFrom, type Target } from '../../files/target.js';
import { safeFileName, splitExtension } from '../../lib/file-name.js';
import type { Ledger } from '../../state/ledger.js';
import { checkForRun, refuseOutput, type Taken } from '../../jobs/destination.js';
import { fingerprint, type Order, type SpeakInput } from './order.js';

export type Outlet =
  | { readonly kind: 'stdout' }
  | {
      readonly kind: 'file';
      readonly target: Target;
      readonly taken: Taken | undefined;
      /** Where the pieces of a long text are kept until it is whole. */
      readonly partsFolder: string;
    };

type Options = SpeakInput['options'];

/** @throws UsageError for what cannot go together, or bytes for a terminal. */
export function refuseConflicts({ flags, out }: Context, options: Options): void {
  const conflicts: readonly (readonly [boolean | undefined, string])[] = [
    [flags.json, '--json'],
    [options.open, '--open'],
    [options.force, '--force'],
    [options.resume, '--resume'],
  ];
  for (const [isGiven, flag] of conflicts) {
    if (!isGiven || options.output !== '-') continue;
    throw new UsageError(`-o - and ${flag} cannot go together`, { code: 'usage' });
  }
  refuseOutput(options.output, out);
}

/** @throws UsageError or LocalFileError when nothing could be written there. */
export async function outletFrom(order: Order, options: Options, ledger: Ledger): Promise<Outlet> {
  const { output } = options;
  if (output === '-') return { kind: 'stdout' };
  const stem = nameFor(order);
  const name = (extension: string) => `${stem}.${extension}`;
  const place = await targetFrom(output, { replace: options.force === true });
  const isOne = order.pieces.length === 1;
  const taken = await checkForRun(place, isOne ? ledger : undefined);
  // Bare samples tell nothing: there the format that was asked for names them.
  const target = place.kind === 'file' ? place : { ...place, name, unknown: order.format };
  const path = target.kind === 'file' ? target.path : join(target.folder, stem);
  return { kind: 'file', target, taken, partsFolder: `${path}.parts` };
}

/** The same for the same speech, so that what was kept of it is found again. */
function nameFor(order: Order): string {
  const model = order.model.replace(/[^A-Za-z0-9._-]+/g, '-');
  return safeFileName(`${model}-${fingerprint(order).slice(0, 8)}`) ?? 'speech';
}

/** Where one piece of several goes that cannot be joined: `book-03.flac`. */
export function numberedTarget(
  target: Target,
  { index, count }: { index: number; count: number },
): Target {
  const number = String(index + 1).padStart(String(count).length, '0');
  if (target.kind === 'folder') {
    return { ...target, name: (extension) => withNumber(target.name(extension), number) };
  }
  const { path, replace } = target;
  return { kind: 'file', path: join(dirname(path), withNumber(basename(path), number)), replace };
}

function withNumber(name: string, number: string): string {
  const [stem, extension] = splitExtension(name);
  return `${stem}-${number}${extension}`;
}
