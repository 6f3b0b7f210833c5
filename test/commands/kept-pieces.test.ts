import { describe, expect, it } from 'vitest';
import { Interrupted } from '../../src/cli/main.js';
import { whileKept, type KeptPieces } from '../../src/commands/kept-pieces.js';
import { ApiError, Incomplete, LocalFileError, OutcomeUnknown } from '../../src/errors.js';

/** Work on three pieces, of which so many are there. */
function world(count: number) {
  const said: string[] = [];
  const done: string[] = [];
  const kept: KeptPieces = {
    folder: '/kept',
    total: 3,
    path: String,
    has: () => Promise.resolve(false),
    count: () => Promise.resolve(count),
    letGo: () => {
      done.push('let go');
      return Promise.resolve();
    },
    remove: () => Promise.resolve(),
  };
  const interrupt = new AbortController();
  const say = (text: string) => void said.push(text);
  const onward = (words: string) => words;
  const context = { out: { error: say, note: say }, signal: interrupt.signal, onward };
  const during = (work: (onWhole: () => void) => unknown) =>
    whileKept(context, { kept, command: 'svc go on' }, async (onWhole) => work(onWhole)).catch(
      (error: unknown) => error,
    );
  return {
    said,
    done,
    during,
    interrupt: () => {
      interrupt.abort(new Interrupted('SIGINT'));
    },
  };
}

const wayOn = (count: number) =>
  `${String(count)} of 3 pieces are kept in /kept; go on with them: \`svc go on\``;

describe('work whose pieces are kept', () => {
  it('that ends well says nothing, and keeps what it has to itself', async () => {
    const { during, done, said } = world(1);
    expect(await during(() => 'all')).toBe('all');
    expect([done, said]).toEqual([[], []]);
  });

  it.each([
    new Incomplete('no', { code: 'x', hint: 'look' }),
    new OutcomeUnknown('no', { code: 'x', hint: 'look' }),
    new LocalFileError('no', { code: 'x', hint: 'look' }),
  ])('that fails names how to go on in the hint of its %s', async (failure) => {
    const { during, done, said } = world(1);
    const error = await during((onWhole) => {
      onWhole();
      throw failure;
    });
    expect(error).toBeInstanceOf(failure.constructor);
    expect(error).toMatchObject({ message: 'no', code: 'x', hint: `look; ${wayOn(2)}` });
    expect([done, said]).toEqual([['let go'], []]);
  });

  it('that is refused keeps its error as it is, and names how to go on beside it', async () => {
    const { during, said } = world(1);
    const refusal = new ApiError('no', { status: 402 });
    expect(
      await during(() => {
        throw refusal;
      }),
    ).toBe(refusal);
    expect(said).toEqual([wayOn(1)]);
  });

  it('that fails before the first piece names no way on', async () => {
    const { during, said } = world(0);
    const failure = new Incomplete('no', {});
    expect(
      await during(() => {
        throw failure;
      }),
    ).toBe(failure);
    expect(said).toEqual([]);
  });

  it('that is interrupted says so once, at once', async () => {
    const { during, interrupt, said } = world(1);
    await during((onWhole) => {
      interrupt();
      expect(said).toEqual([wayOn(1)]);
      onWhole();
      throw new Error('interrupted');
    });
    expect(said).toEqual([wayOn(1)]);
  });

  it('that is interrupted while its first piece is put away tells of it then', async () => {
    const { during, interrupt, said } = world(0);
    await during((onWhole) => {
      interrupt();
      expect(said).toEqual([]);
      onWhole();
      throw new Error('interrupted');
    });
    expect(said).toEqual([wayOn(1)]);
  });
});
