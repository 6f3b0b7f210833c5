/** Work whose pieces are kept: however it ends early, the person is told how to go on. */
import type { Context } from '../cli/context.js';
import { Incomplete, LocalFileError, OutcomeUnknown, SvcError } from '../errors.js';
import type { KeptPieces } from './kept-pieces.js';

export interface KeptWork {
  readonly kept: KeptPieces;
  /** What goes on with it: `svc speak … --resume`. */
  readonly command: string;
  /** Called before a person who interrupts is told. */
  readonly onAbort?: () => void;
}

/** What is needed to tell a person. */
interface Told {
  readonly out: Pick<Context['out'], 'error' | 'note'>;
  readonly signal: AbortSignal;
  readonly onward: Context['onward'];
}

/**
 * Does the work, which calls `onWhole` for each piece that it adds, and removes them at its end.
 * @throws what the work throws, with how to go on in its hint.
 */
export async function whileKept<Result>(
  { out, signal, onward }: Told,
  { kept, command, onAbort }: KeptWork,
  work: (onWhole: () => void) => Promise<Result>,
): Promise<Result> {
  let here = await kept.count();
  let isTold = false;
  const wayOn = () => {
    const pieces = `${String(here)} of ${String(kept.total)} pieces are kept in ${kept.folder}`;
    return `${pieces}; go on with them: \`${onward(command)}\``;
  };
  // Said at once: whoever interrupts does not wait for what is under way to be put away.
  const tell = () => {
    if (here > 0 && !isTold) out.error(wayOn());
    isTold = here > 0;
  };
  const onInterrupt = () => {
    onAbort?.();
    tell();
  };
  signal.addEventListener('abort', onInterrupt);
  try {
    return await work(() => {
      here += 1;
    });
  } catch (error) {
    await kept.letGo().catch(() => undefined);
    if (!signal.aborted) throw here === 0 ? error : withWayOn(out, error, wayOn());
    // What was under way may have become whole since.
    tell();
    throw error;
  } finally {
    signal.removeEventListener('abort', onInterrupt);
  }
}

function withWayOn(out: Told['out'], error: unknown, wayOn: string): unknown {
  if (!(error instanceof SvcError)) return error;
  const hint = error.hint === undefined ? wayOn : `${error.hint}; ${wayOn}`;
  const details = { code: error.code, cause: error, hint };
  if (error instanceof Incomplete) return new Incomplete(error.message, details);
  if (error instanceof OutcomeUnknown) return new OutcomeUnknown(error.message, details);
  if (error instanceof LocalFileError) return new LocalFileError(error.message, details);
  out.note(wayOn);
  return error;
}
