import { expect, it } from 'vitest';
import { keys } from '../helpers.js';
import { lighthouse, send, started } from '../media/helpers.js';
import { dial, start } from '../raw-connection.js';
import { formOf, Desk, refusedWith, replyMs, report } from './helpers.js';

const incident = { clientIncidentId: 'deploy-7' };

async function ids(opened: Desk): Promise<string[]> {
  return (await opened.page('?limit=100')).data.map(({ id }) => id);
}

/** The id of a usage record of an account. */
async function usageId(opened: Desk, key: string = keys.local): Promise<string> {
  const messages = [{ role: 'user', content: 'hi' }];
  const body = { model: 'local/echo', messages };
  const response = await send(opened, '/v1/chat/completions', body, { key });
  return response.headers.get('x-svc-generation-id') ?? '';
}

it('a report that says the same as an open ticket opens no other, and counts', async () => {
  const opened = new Desk();
  const first = await opened.created({ ...report, category: 'billing' });
  opened.clock.set(opened.clock.now() + 1000);
  const second = await opened.repeated({ ...report, category: 'billing' });
  expect(second).toEqual({
    ...first,
    occurrences: 2,
    updatedAt: new Date(opened.clock.now()).toISOString(),
  });
  expect((await opened.repeated({ ...report, category: 'billing' })).occurrences).toBe(3);
  expect(await ids(opened)).toEqual([first.id]);
  expect((await opened.thread(first.id)).messages).toHaveLength(1);
});

it('a report that says the same as an open ticket names the same requests, in any order', async () => {
  const opened = new Desk();
  const requestIds = [await usageId(opened), await usageId(opened), await usageId(opened)];
  const first = await opened.created({ ...report, requestIds });
  expect(first.requestIds).toEqual(requestIds);
  const again = await opened.repeated({ ...report, requestIds: requestIds.toReversed() });
  expect(again).toMatchObject({ id: first.id, requestIds });
  await opened.created({ ...report, requestIds: requestIds.slice(1) });
  await opened.created();
});

it('a report that says the same as an open ticket is another with another category or text, or once that one is replied or closed', async () => {
  const opened = new Desk();
  const first = await opened.created();
  await opened.created({ ...report, category: 'performance' });
  await opened.created({ ...report, message: `${report.message} ` });
  opened.clock.set(opened.clock.now() + replyMs);
  expect((await opened.thread(first.id)).status).toBe('replied');
  const second = await opened.created();
  await opened.closed(second.id);
  const third = await opened.created();
  expect(new Set([first.id, second.id, third.id]).size).toBe(3);
  expect((await opened.thread(first.id)).occurrences).toBe(1);
});

const other = { subject: 'In other words', message: 'The same incident, told once more.' };

it('a report with an incident id that is known opens no other, whatever it says, until that ticket is closed', async () => {
  const opened = new Desk();
  const first = await opened.created({ ...report, ...incident });
  const again = await opened.repeated({ ...other, ...incident });
  expect(again).toMatchObject({ id: first.id, subject: report.subject, occurrences: 2 });
  await opened.closed(first.id);
  const second = await opened.created({ ...report, ...incident });
  expect(second.id).not.toBe(first.id);
  expect((await opened.repeated({ ...other, ...incident })).id).toBe(second.id);
});

it('the same report many times at once opens one ticket', async () => {
  const opened = new Desk();
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => opened.ask('/v1/tickets', { body: report })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([
    ...Array.from({ length: 19 }, () => 200),
    201,
  ]);
  expect((await opened.page()).data).toMatchObject([{ occurrences: 20 }]);
});

it('the same report many times at once opens one ticket over five connections that drop', async () => {
  const body = JSON.stringify({ ...report, ...incident });
  const opened = new Desk();
  const { port } = await start(opened.service);
  const head = [
    'POST /v1/tickets HTTP/1.1',
    `host: 127.0.0.1:${port}`,
    `authorization: Bearer ${keys.local}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
    '',
    '',
  ].join('\r\n');
  const drops = ['half way', 'at the end', 'at the end', 'at the answer', 'at the answer'];
  for (const drop of drops) {
    const line = await dial(port);
    const sent = drop === 'half way' ? body.slice(0, body.length / 2) : body;
    await new Promise((written) => {
      line.socket.write(Buffer.from(head + sent, 'latin1'), written);
    });
    if (drop === 'at the answer') await line.until('HTTP/1.1 20');
    line.socket.resetAndDestroy();
    await line.closed;
  }
  const { data } = await opened.page();
  expect(data).toHaveLength(1);
  const final = await opened.repeated({ ...report, ...incident });
  expect(final.id).toBe(data[0]?.id);
  // Two answers were seen; of the others the service may have read one or both.
  expect(final.occurrences).toBeGreaterThanOrEqual(3);
  expect(final.occurrences).toBeLessThanOrEqual(5);
  expect(await ids(opened)).toEqual([final.id]);
});

it('the requests that a ticket names may be answers, failures, usage records and jobs of the account', async () => {
  const opened = new Desk();
  const fine = await opened.ask('/v1/balance');
  const failed = await send(opened, '/v1/chat/completions', { model: 'nobody', messages: [] });
  const limited = await opened.ask('/v1/balance', { key: keys.limited });
  expect([fine.status, failed.status, limited.status]).toEqual([200, 400, 429]);
  const traced = [fine, failed, limited].map(({ headers }) => headers.get('x-request-id') ?? '');
  const { jobId } = await started(opened, lighthouse);
  const requestIds = [...traced, await usageId(opened), jobId];
  for (const body of [
    { ...report, requestIds },
    formOf({ ...report, subject: 'as fields', requestIds }),
    formOf({ ...report, subject: 'as one field', requestIds: JSON.stringify(requestIds) }),
  ]) {
    expect((await opened.created(body)).requestIds).toEqual(requestIds);
  }
  const byOne = formOf({ ...report, subject: 'one alone', requestIds: traced[0] ?? '' });
  expect((await opened.created(byOne)).requestIds).toEqual(traced.slice(0, 1));
});

it('the requests that a ticket names must be the account’s own', async () => {
  const opened = new Desk();
  const key = keys.sandbox;
  const { jobId } = await started(opened, lighthouse, { key });
  const mine = (await opened.ask('/v1/balance')).headers.get('x-request-id') ?? '';
  const foreign = [
    (await opened.ask('/v1/balance', { key })).headers.get('x-request-id') ?? '',
    (await opened.ask('/v1/balance', { key: null })).headers.get('x-request-id') ?? '',
    await usageId(opened, key),
    jobId,
    `${mine}0`,
    mine.toUpperCase(),
    `${await usageId(opened)}\u0000`,
    'req_000000000000000000000000',
    "' OR '1'='1",
    '\ud800',
  ];
  for (const id of foreign) {
    const response = await opened.ask('/v1/tickets', {
      body: { ...report, requestIds: [mine, id] },
    });
    expect(await refusedWith(response), id).toBe('400 foreign_request_id');
  }
  expect(await ids(opened)).toEqual([]);
  // Even where the report would only repeat another.
  await opened.created({ ...report, ...incident });
  const body = { ...report, ...incident, requestIds: [jobId] };
  expect(await refusedWith(await opened.ask('/v1/tickets', { body }))).toMatch(/^400 /);
});
