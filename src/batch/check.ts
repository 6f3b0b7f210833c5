/** Checks an input as a whole before anything is sent, against what earlier runs have written. */
import { hash } from 'node:crypto';
import { UsageError } from '../errors.js';
import type { BatchInput } from './input.js';
import type { BatchRequest } from './request.js';
import { noEarlierOutput, readEarlierOutput, type EarlierOutput } from './results.js';

export interface CheckedInput {
  readonly written: EarlierOutput;
  /** Of this shard. */
  readonly facts: Pick<EarlierOutput, 'count' | 'sha256'>;
  /** Requests that were sent and have no answer. */
  readonly unanswered: readonly BatchRequest[];
  /** Answered in a run without a ceiling, at a price that is not known; none where no money counts. */
  readonly unpriced: readonly BatchRequest[];
  /** How many requests are to be sent without them. */
  readonly todo: number;
  readonly hasMedia: boolean;
}

/** As the journal has it, of which the table has the first 32 bits. */
const hashOf = (body: string) => parseInt(hash('sha256', body).slice(0, 8), 16);

/** Checks each line by itself, and against the lines before it and what is written. */
export async function checkInput({
  input,
  output,
  errors,
  holds,
  isLimited = false,
}: {
  readonly input: BatchInput;
  readonly output: string | undefined;
  readonly errors: string | undefined;
  /** Whether a request belongs to the shard. */
  readonly holds: (id: string) => boolean;
  /** Whether what earlier runs have cost counts. */
  readonly isLimited?: boolean;
}): Promise<CheckedInput> {
  const written = output === undefined ? noEarlierOutput() : readEarlierOutput(output, errors);
  const { ids } = written;
  const unanswered: BatchRequest[] = [];
  const unpriced: BatchRequest[] = [];
  let [count, todo, hasMedia] = [0, 0, false];
  const add = (request: BatchRequest, at: number): boolean => {
    const { id, lineNumber, row } = request;
    ids.setLine(at, lineNumber);
    if (!holds(id)) return false;
    count += 1;
    if (isLimited && written.isUnlimited && ids.isUnpriced(at)) unpriced.push(request);
    hasMedia ||= ['job', 'media'].includes(row.paid ?? '');
    if (ids.state(at) === 'failed') written.failed += 1;
    return true;
  };
  /** The same body was checked when it was sent. */
  const isSettled = (request: BatchRequest) => {
    const at = ids.placeOf(request.id);
    const isOver = ids.state(at) === 'done' || ids.state(at) === 'failed';
    if (!isOver || ids.line(at) !== 0 || ids.body(at) !== hashOf(request.body)) return false;
    add(request, at);
    return true;
  };
  const settled = written.sha256 === '' ? undefined : isSettled;
  const { sha256 } = await input.check((request) => {
    const { body, id, lineNumber, row } = request;
    const at = ids.placeOf(id);
    const earlier = ids.line(at);
    if (earlier !== 0) return `its custom_id is also that of line ${earlier}`;
    if (ids.body(at) !== 0 && ids.body(at) !== hashOf(body)) {
      ids.setLine(at, lineNumber);
      return 'its body has changed since it was sent; give it another custom_id';
    }
    if (!add(request, at)) return undefined;
    // What may be sent twice is sent again.
    if (ids.state(at) === 'sent' && row.retry !== 'never') ids.setState(at, 'new');
    const state = ids.state(at);
    if (state === 'sent') unanswered.push(request);
    if (state === 'new') todo += 1;
    return undefined;
  }, settled);
  if (written.sha256 !== '' && written.sha256 !== sha256) assertSameInput(written, output);
  return { written, facts: { count, sha256 }, unanswered, unpriced, todo, hasMedia };
}

/** Lines may have been added. @throws UsageError where some are gone */
function assertSameInput({ ids }: EarlierOutput, output = ''): void {
  if (!Array.from(ids.places()).some((at) => ids.line(at) === 0)) return;
  throw new UsageError(`${output} has answers to another input; nothing was sent`, {
    code: 'other_input',
    hint: 'choose another file with -o; `svc batch merge` joins several',
  });
}
