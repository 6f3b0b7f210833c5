/** The calls of an answer that were started: none runs twice, whatever ended the earlier run. */
import * as z from 'zod/mini';
import { newOwner, Owner, releaseOwner, stateOf } from '../files/owner.js';
import { LocalFileError } from '../errors.js';
import { parsedJson } from '../lib/json.js';
import { StateDatabase } from './database.js';
import type { Paths } from './paths.js';

const Started = z.object({ place: z.number(), owner: z.string(), result: z.nullable(z.string()) });
const Result = z.object({ text: z.string(), isError: z.boolean() });

/**
 * @param turn the last turn of this conversation, whose answer made the calls; a call is known by
 * its place among them
 * @throws LocalFileError where another process runs calls of this answer
 */
export async function startedCalls(paths: Paths, conversation: number, turn: number) {
  const database = new StateDatabase(paths, 'the log');
  const find = 'SELECT place, owner, result FROM tool_calls WHERE turn = ?';
  const earlier = database.all(Started, find, turn);
  for (const { owner, result } of earlier) {
    if (result !== null) continue;
    const state = await stateOf(Owner.safeParse(parsedJson(owner)).data);
    if (state === 'running') throw heldElsewhere();
  }
  const owner = await newOwner();
  return {
    /** The results of earlier runs by place; undefined where the run was ended before its result. */
    earlier: new Map(
      earlier.map(({ place, result }) => [place, Result.safeParse(parsedJson(result ?? '')).data]),
    ),
    /** On disk before the calls run. @throws LocalFileError where another process was first */
    start: (places: readonly number[]) =>
      database.transaction(() => {
        const isLast = 'SELECT id FROM conversations WHERE id = ? AND head = ?';
        const [head] = database.all(z.unknown(), isLast, conversation, turn);
        const started = database.all(Started, find, turn);
        if (!head || started.length > earlier.length) throw heldElsewhere();
        const insert = 'INSERT INTO tool_calls (turn, place, owner) VALUES (?, ?, ?)';
        for (const place of places) database.run(insert, turn, place, JSON.stringify(owner));
      }),
    keep: (place: number, result: z.output<typeof Result>) => {
      const update = 'UPDATE tool_calls SET result = ? WHERE turn = ? AND place = ?';
      database.run(update, JSON.stringify(result), turn, place);
    },
    /** After this, calls without a result count as ended with this process. */
    release: () => releaseOwner(owner),
  };
}

const heldElsewhere = () =>
  new LocalFileError('another svc is continuing this conversation', {
    hint: 'wait for it, or stop it, then: svc chat -c',
    code: 'locked',
  });
