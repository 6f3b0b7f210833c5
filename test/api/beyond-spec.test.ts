import { describe, expect, it } from 'vitest';
import { chunks, chunksEnd, events, fakeService } from '../helpers/fake-service.js';
import { json, type Answer } from '../helpers/fake-service.js';
import { testFolder } from '../helpers/folder.js';
import { run } from '../helpers/run.js';

/** Refuses fields outside the specification, as a strict service does. */
function strict(name: string, refusal: unknown, answer: Answer, status = 400): Answer {
  return (request, response) => {
    const isMet = `${request.url} ${request.body}`.includes(name);
    (isMet ? json(refusal, status) : answer)(request, response);
  };
}

describe('stream_options, which the specification does not name,', () => {
  const answer = events(chunks('hi') + chunksEnd);
  it.each([
    [400, { ok: false, code: 'unknown_field', message: 'unknown field', field: 'stream_options' }],
    [400, { error: { message: 'Unrecognized request argument supplied: stream_options' } }],
    [422, { detail: [{ loc: ['body', 'stream_options'], msg: 'extra fields not permitted' }] }],
  ])('is left out for a service that refuses it with %s %j, from then on', async (status, body) => {
    const { env, requests } = await fakeService(strict('stream_options', body, answer, status));
    const home = testFolder();
    const first = await run('chat -m m hi', { env, home });
    expect(first).toMatchObject({ code: 0, stdout: 'hi\n', stderr: '' });
    const sent = () => requests.map((seen) => seen.body.includes('stream_options'));
    expect(sent()).toEqual([true, false]);
    expect(await run('chat -m m again', { env, home })).toMatchObject({ code: 0, stdout: 'hi\n' });
    expect(sent()).toEqual([true, false, false]);
    // Another service may accept it.
    const other = await fakeService(answer);
    await run('chat -m m hi', { env: other.env, home });
    expect(other.requests[0]?.body).toContain('stream_options');
  });

  it('does not cause a resend after a refusal for another reason', async () => {
    for (const [body, status] of [
      [{ ok: false, code: 'unknown_model', message: 'no such model' }, 400],
      [{ ok: false, code: 'busy', message: 'stream_options' }, 429],
      [{ ok: false, code: 'broken', message: 'stream_options' }, 502],
    ] as const) {
      const { env, requests } = await fakeService(json(body, status));
      const { code } = await run('chat -m m hi --timeout 1', { env });
      expect(code).not.toBe(0);
      expect(requests.every((seen) => seen.body.includes('stream_options'))).toBe(true);
    }
  });

  it('is dropped once: a second refusal is final', async () => {
    const refusal = { ok: false, code: 'unknown_field', message: 'stream_options and more' };
    const { env, requests } = await fakeService(json(refusal, 400));
    expect((await run('chat -m m hi', { env })).code).toBe(3);
    expect(requests).toHaveLength(2);
  });
});

describe('page and pageSize of the capabilities', () => {
  const models = [{ id: 'v/a' }, { id: 'v/b' }];
  it('are left out for a service that refuses them, from then on', async () => {
    const body = { ok: false, code: 'unknown_parameter', message: 'unknown query: pageSize' };
    const { env, requests } = await fakeService(strict('page', body, json({ models })));
    const home = testFolder();
    const first = await run('models capabilities --all', { env, home });
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toContain('v/b');
    const one = await run('models capabilities v/a', { env, home });
    expect(one.code).toBe(0);
    expect(requests.map(({ url }) => url)).toEqual([
      '/v1/model-capabilities?page=1&pageSize=100',
      '/v1/model-capabilities',
      '/v1/model-capabilities',
    ]);
  });

  it('given by the user are sent, and the refusal is reported', async () => {
    const body = { ok: false, code: 'unknown_parameter', message: 'unknown query: page' };
    const { env, requests } = await fakeService(strict('page', body, json({ models })));
    const result = await run('models capabilities --page 2', { env });
    expect(result.code).toBe(3);
    expect(requests).toHaveLength(1);
  });
});
