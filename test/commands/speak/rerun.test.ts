/** The same text spoken again after a run that did not end is not paid for unasked. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { json } from '../../helpers/fake-service.js';
import { testFolder } from '../../helpers/folder.js';
import { recording, talker, type Talker } from './talker.js';
import { forgetEnd } from '../../helpers/state.js';

/** A service that speaks, and a home folder that is the same for all runs. */
async function scene({ knowsKeys = false } = {}) {
  const at = await talker();
  const home = testFolder();
  let isCut = true;
  at.instead = (request, response) => {
    if (request.url === '/api/openapi') {
      const post = knowsKeys ? { parameters: [{ name: 'Idempotency-Key', in: 'header' }] } : {};
      json({ paths: { '/v1/audio/speech': { post } } })(request, response);
      return true;
    }
    if (request.url !== '/v1/audio/speech' || !isCut) return false;
    const whole = recording('hi');
    response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': whole.length });
    response.write(whole.subarray(0, 20), () => response.socket?.destroy());
    return true;
  };
  const speak = (...more: string[]) =>
    at.svc(['speak', '-m', 'vendor/voice', 'hi', '-o', at.path('a.wav'), ...more], { home });
  const keys = (service: Talker) =>
    service.requests.flatMap(({ method, headers }) =>
      method === 'POST' ? headers['idempotency-key'] : [],
    );
  return { ...at, at, home, speak, keys: () => keys(at), mend: () => (isCut = false) };
}

describe('speech that broke off', () => {
  it('is asked for again with its key where the service says that it knows the key', async () => {
    const { at, speak, keys, mend } = await scene({ knowsKeys: true });
    expect((await speak()).code).toBe(12);
    mend();
    const again = await speak();
    expect(again).toMatchObject({ code: 0, stdout: `${at.path('a.wav')}\n` });
    expect(again.stderr).toMatch(/^resuming a request without an answer \(started \d+ s ago\)/);
    expect(keys()).toHaveLength(2);
    expect(new Set(keys()).size).toBe(1);
    expect(readFileSync(at.path('a.wav'))).toEqual(recording('hi'));
  });

  it('is not paid for again unasked where it does not', async () => {
    const { at, speak, keys, mend } = await scene();
    expect((await speak()).code).toBe(12);
    mend();
    const again = await speak();
    expect(again).toMatchObject({ code: 10, stdout: '' });
    expect(again.stderr).toContain('may have been carried out and charged');
    expect(again.stderr).toContain('to pay for another, give --new\n');
    expect(keys()).toHaveLength(1);
    expect(await speak('--new')).toMatchObject({ code: 0 });
    expect(new Set(keys()).size).toBe(2);
    expect(existsSync(at.path('a.wav'))).toBe(true);
  });

  it('is another once a run has ended well', async () => {
    const { speak, keys, mend } = await scene();
    mend();
    expect(await speak()).toMatchObject({ code: 0 });
    expect(await speak('--force')).toMatchObject({ code: 0 });
    expect(new Set(keys()).size).toBe(2);
  });

  it('ends well when its file is there, and only its end was not written down', async () => {
    const { at, speak, keys, mend, home } = await scene();
    mend();
    await speak();
    forgetEnd(home, 'requests');
    expect(await speak()).toMatchObject({ code: 0, stdout: `${at.path('a.wav')}\n` });
    expect(keys()).toHaveLength(1);
    // That was its end: now the name is taken.
    expect(await speak()).toMatchObject({ code: 11, stdout: '' });
  });

  it('leaves svc jobs list alone', async () => {
    const { at, speak, home } = await scene();
    await speak();
    expect(await at.svc('jobs list', { home })).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });
});
