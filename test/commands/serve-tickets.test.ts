import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { Interrupted } from '../../src/cli/main.js';
import { testFolder } from '../helpers/folder.js';
import { ManualClock } from '../helpers/manual-clock.js';
import { run, type RunOptions } from '../helpers/run.js';

const report = {
  subject: 'Answers stop early',
  message: 'Since this morning long answers end in the middle.',
};
const Reply = z.object({ ticket: z.object({ id: z.string(), status: z.string() }) });
const create = ['api', 'POST', '/v1/tickets'].concat(
  Object.entries(report).flatMap(([name, value]) => ['-f', `${name}=${value}`]),
);

/** A ticket's status just before a time, and at it. */
async function statusesAround(
  clock: ManualClock,
  svc: (line: readonly string[]) => Promise<{ stdout: string }>,
  timeMs: number,
) {
  const { id } = Reply.parse(JSON.parse((await svc(create)).stdout)).ticket;
  const status = async () => {
    const { stdout } = await svc(['api', 'GET', `/v1/tickets/${id}`]);
    return Reply.parse(JSON.parse(stdout)).ticket.status;
  };
  clock.pass(timeMs - 1);
  const before = await status();
  clock.pass(1);
  return [before, await status()];
}

/** How long a ticket waits with --local. */
function local(env: Readonly<Record<string, string>>, timeMs: number) {
  const [clock, home] = [new ManualClock(), testFolder()];
  const svc = (line: readonly string[]) => run(['--local', ...line], { home, clock, env });
  return statusesAround(clock, svc, timeMs);
}

/** How long a ticket waits with svc serve. */
async function served(line: string, env: RunOptions['env'], timeMs: number) {
  const [clock, interrupt] = [new ManualClock(), new AbortController()];
  const seen: Promise<readonly string[]>[] = [];
  await run(`serve --port 0 --memory ${line}`, {
    clock,
    env,
    signal: interrupt.signal,
    onStdout: (text) => {
      const reach = { SVC_BASE_URL: text.trim(), SVC_API_KEY: 'sk-svc-local' };
      const statuses = statusesAround(clock, (sent) => run(sent, { env: reach }), timeMs);
      seen.push(statuses);
      const stop = () => interrupt.abort(new Interrupted('SIGINT'));
      statuses.then(stop, stop);
    },
  });
  return seen[0];
}

describe('a ticket of the embedded service', () => {
  const around = ['open', 'replied'];

  it('is answered after ten seconds, or as SVC_LOCAL_REPLY_TIME says', async () => {
    expect(await local({}, 10_000)).toEqual(around);
    expect(await local({ SVC_LOCAL_REPLY_TIME: '3s' }, 3000)).toEqual(around);
    const wrong = await run('--local balance', { env: { SVC_LOCAL_REPLY_TIME: 'soon' } });
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toContain('SVC_LOCAL_REPLY_TIME is no time: soon');
  });

  it('is answered as svc serve --reply-time says, which wins over the environment', async () => {
    expect(await served('', {}, 10_000)).toEqual(around);
    const env = { SVC_LOCAL_REPLY_TIME: '3s' };
    expect(await served('', env, 3000)).toEqual(around);
    expect(await served('--reply-time 1m', env, 60_000)).toEqual(around);
  });
});
