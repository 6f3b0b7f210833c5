import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { testFolder } from '../../helpers/folder.js';
import { ManualClock, PollingClock } from '../../helpers/manual-clock.js';
import { run, type RunOptions } from '../../helpers/run.js';
import { images } from './scene.js';

const subject = 'Answers stop early';
const message = 'Since this morning long answers end in the middle.\n';
const now = Date.UTC(2026, 10, 30, 12);

/** `svc --local`, over one store. */
function local(env: RunOptions['env'] = {}) {
  const folder = testFolder();
  const clock = new ManualClock({ now });
  const svc = (line: readonly string[], options: RunOptions = {}) =>
    run(['--local', 'tickets', ...line], { home: folder, clock, env, ...options });
  return { folder, clock, svc };
}

const Created = z.object({
  deduplicated: z.boolean(),
  ticket: z.looseObject({ id: z.string(), status: z.string(), clientIncidentId: z.string() }),
});
const Thread = z.object({
  ticket: z.looseObject({
    id: z.string(),
    status: z.string(),
    messages: z.array(
      z.object({
        author: z.string(),
        body: z.string(),
        attachments: z.array(z.object({ id: z.string(), filename: z.string() })),
      }),
    ),
  }),
});
const Files = z.array(z.object({ attachment: z.string(), path: z.string(), bytes: z.number() }));

describe('a ticket of the embedded service', () => {
  it('goes its whole way from a script, with --json', async () => {
    const { folder, clock, svc } = local();
    const json = async <Schema extends z.ZodMiniType>(
      schema: Schema,
      line: readonly string[],
      options: RunOptions = {},
    ): Promise<z.output<Schema>> => {
      const result = await svc([...line, '--json'], options);
      expect(result).toMatchObject({ code: 0, stderr: '' });
      return schema.parse(JSON.parse(result.stdout));
    };
    const image = join(folder, 'screen.png');
    writeFileSync(image, images.gif);

    const { ticket, deduplicated } = await json(
      Created,
      ['create', '--subject', subject, '--attach', image],
      { stdin: message },
    );
    expect(deduplicated).toBe(false);
    expect(ticket).toMatchObject({ status: 'open', occurrences: 1 });
    const { id } = ticket;

    const list = z.object({ data: z.array(z.looseObject({ id: z.string() })) });
    expect((await json(list, ['list', '--status', 'open'])).data.map((one) => one.id)).toEqual([
      id,
    ]);

    const first = (await json(Thread, ['show', id])).ticket.messages;
    expect(first.map(({ author, body }) => [author, body])).toEqual([['client', message]]);

    const after = (await json(Thread, ['reply', id, 'It', 'goes', 'on.'])).ticket;
    expect(after.messages.map(({ body }) => body)).toEqual([message, 'It goes on.']);

    const waiting = new PollingClock({ now: clock.now() });
    const answered = (await json(Thread, ['watch', id], { clock: waiting })).ticket;
    expect(answered.status).toBe('replied');
    expect(answered.messages.at(-1)?.author).toBe('staff');
    expect(waiting.now() - clock.now()).toBeGreaterThanOrEqual(10_000);
    clock.pass(60_000);

    const files = await json(Files, ['download', id, '-o', `${folder}/`]);
    const path = join(folder, 'screen.gif');
    const attachment = first[0]?.attachments[0]?.id;
    expect(files).toEqual([{ attachment, path, bytes: images.gif.length }]);
    expect(readFileSync(path)).toEqual(images.gif);

    const closed = await json(z.object({ ticket: z.looseObject({ status: z.string() }) }), [
      'close',
      id,
    ]);
    expect(closed.ticket.status).toBe('closed');
  });
});
