import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keys } from '../helpers.js';
import { day, expectBalanced, open, type Opened, refusal, refusedWith } from '../media/helpers.js';
import { wav } from '../media/tones.js';
import { type Answer, fakeService } from '../../helpers/fake-service.js';
import { testFolder } from '../../helpers/folder.js';
import {
  added,
  addTo,
  clone,
  cloned,
  cloneOf,
  growing,
  listed,
  mb,
  sized,
  tone,
  voiceIn,
} from './helpers.js';

describe('POST /api/media/voices/{id}/samples', () => {
  it('adds recordings for nothing, and counts them with those before', async () => {
    const opened = open();
    const { voice } = await growing(opened);
    const reply = await added(opened, voice.id, [tone(2), tone(1)]);
    expect(reply).toEqual({
      ok: true,
      voice: { ...voice, sample_seconds: 6 },
      samples_added: 2,
      sample_count: 5,
    });
    expect((await listed(opened)).voices).toEqual([reply.voice]);
    expect(await expectBalanced(opened)).toBe(100);
  });

  it('is not for voices of another account, nor of the other engines', async () => {
    const opened = open();
    const { voice } = await growing(opened);
    const response = await addTo(opened, voice.id, [tone(1)], { key: keys.sandbox });
    expect(await refusedWith(response)).toBe('404 voice_not_found');
    for (const engine of ['standard', 'premium']) {
      const { voice } = await cloned(opened, { engine, ...tone(5) });
      const response = await addTo(opened, voice.id, [tone(1)]);
      expect(await refusedWith(response)).toBe('409 voice_samples_unsupported');
    }
  });

  it.each([
    ['no recording', [], 'voice_request_invalid'],
    ['a text', [{ audio_base64: 'aGVsbG8=' }], 'voice_sample_invalid'],
    ['an address', [{ audio_url: 'https://example.com/a.wav' }], 'voice_sample_unreachable'],
    ['23 more to the 3', Array.from({ length: 23 }, () => tone(0.1)), 'voice_samples_limit'],
    ['298 seconds more to the 3', [tone(298)], 'voice_samples_limit'],
    ['a recording of 10 MB and a byte', [sized(10 * mb + 1)], 'voice_sample_too_large'],
  ])('refuses %s, and the voice is as it was', async (_, samples, code) => {
    const opened = open();
    const { voice } = await growing(opened);
    expect(await refusedWith(await addTo(opened, voice.id, samples))).toBe(`422 ${code}`);
    expect((await listed(opened)).voices).toEqual([voice]);
  });

  it('is refused by the supplier for a voice of such a name, and the voice is as it was', async () => {
    const opened = open();
    const three = [tone(1), tone(1), tone(1)];
    const { voice } = await voiceIn(await cloneOf(opened, three, { name: 'Ann:refusing' }));
    // What was refused is not counted as an addition: there may be 20 a day.
    for (let i = 0; i < 21; i += 1) {
      const response = await addTo(opened, voice.id, [tone(1)]);
      expect(await refusedWith(response)).toBe('502 voice_samples_failed');
      const unfit = await addTo(opened, voice.id, [{ audio_base64: 'aGVsbG8=' }]);
      expect(await refusedWith(unfit)).toBe('422 voice_sample_invalid');
    }
    expect((await listed(opened)).voices).toEqual([voice]);
    expect(await expectBalanced(opened)).toBe(100);
  });

  it('is admitted 20 times in 24 hours; then it says how long to wait', async () => {
    const opened = open();
    const { clock } = opened;
    const begun = clock.now();
    const { voice } = await growing(opened);
    for (let i = 0; i < 20; i += 1) {
      clock.set(begun + i * 60_000);
      await added(opened, voice.id, [tone(0.1)]);
    }
    const refused = await addTo(opened, voice.id, [tone(0.1)]);
    expect(refused.headers.get('retry-after')).toBe(String(86_400 - 19 * 60));
    expect(await refusedWith(refused)).toBe('429 voice_samples_rate_limited');
    clock.set(begun + day - 1);
    expect((await addTo(opened, voice.id, [tone(0.1)])).headers.get('retry-after')).toBe('1');
    clock.set(begun + day);
    expect(await added(opened, voice.id, [tone(0.1)])).toMatchObject({ sample_count: 24 });
    expect((await addTo(opened, voice.id, [tone(0.1)])).status).toBe(429);
  });

  it('keeps no recording, whether it was added or refused', async () => {
    const folder = testFolder();
    const opened = open({ storePath: join(folder, 'store.sqlite') });
    const { voice } = await growing(opened);
    await added(opened, voice.id, [tone(20), tone(10)]);
    const refused = await addTo(opened, voice.id, [tone(20), { audio_base64: 'x'.repeat(1e6) }]);
    expect(refused.status).toBe(422);
    expect(existsSync(join(folder, 'store-media'))).toBe(false);
  });
});

/** A server on this machine that answers as a test says; it records its requests. */
async function serve(answer: Answer) {
  const { origin, requests } = await fakeService(answer);
  return { url: origin, asked: () => requests.map(({ url }) => url) };
}

const recording = serve.bind(null, (_, response) => void response.end(wav(2)));

function link(audio_url: string) {
  return { audio_base64: undefined, audio_url };
}

async function refused(opened: Opened, audio_url: string) {
  const { status, body } = await refusal(await clone(opened, link(audio_url)));
  expect((await listed(opened)).voices).toEqual([]);
  return { status, code: body['code'], message: body['message'] };
}

const unreachable = { status: 422, code: 'voice_sample_unreachable' };

describe('the address of a recording', () => {
  it('is requested only with permission, and the answer is measured', async () => {
    const { url, asked } = await recording();
    const message = expect.stringContaining('--allow-fetch');
    expect(await refused(open(), url)).toMatchObject({ ...unreachable, message });
    expect(asked()).toEqual([]);
    const opened = open({ allowFetch: true });
    const { voice } = await voiceIn(await clone(opened, link(`${url}/ann.wav?x=1`)));
    expect(voice.sample_seconds).toBe(2);
    expect(asked()).toEqual(['/ann.wav?x=1']);
  });

  it('may lead on within this machine, three times', async () => {
    const { url, asked } = await serve((request, response) => {
      const left = Number(request.url.slice(1));
      if (left === 0) response.end(wav(2));
      else response.writeHead(302, { location: `/${left - 1}` }).end();
    });
    const opened = open({ allowFetch: true });
    expect(await refused(opened, `${url}/4`)).toMatchObject(unreachable);
    const before = asked().length;
    await voiceIn(await clone(opened, link(`${url}/3`)));
    expect(asked().slice(before)).toEqual(['/3', '/2', '/1', '/0']);
  });

  it.each([
    ['http://example.com/a.wav', /https/],
    ['https://10.0.0.1/a.wav', /public/],
    ['https://169.254.169.254/latest', /public/],
    ['https://user:word@example.com/a.wav', /password/],
    ['file:///etc/hosts', /https/],
  ])('is refused without a request when it is %s', async (address, reason) => {
    const answer = await refused(open({ allowFetch: true }), address);
    expect(answer).toMatchObject({ ...unreachable, message: expect.stringMatching(reason) });
  });

  it('cannot redirect to a forbidden address', async () => {
    for (const location of ['http://10.0.0.1/', 'http://example.com/', 'file:///etc/hosts']) {
      const { url } = await serve(
        (_, response) => void response.writeHead(302, { location }).end(),
      );
      expect(await refused(open({ allowFetch: true }), url)).toMatchObject(unreachable);
    }
  });

  it('that answers with another status, breaks off or is shut is unreachable', async () => {
    const opened = open({ allowFetch: true });
    const missing = await serve((_, response) => void response.writeHead(404).end());
    expect(await refused(opened, missing.url)).toMatchObject({
      ...unreachable,
      message: expect.stringContaining('404'),
    });
    const broken = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '999' });
      response.write('RIFF', () => response.destroy());
    });
    expect(await refused(opened, broken.url)).toMatchObject(unreachable);
    expect(await refused(opened, 'http://127.0.0.1:1/')).toMatchObject(unreachable);
  });

  it('is read no further than a recording may be large', async () => {
    let sent = 0;
    let gone: () => void = () => undefined;
    const closed = new Promise<void>((resolve) => {
      gone = resolve;
    });
    const { url } = await serve((_, response) => {
      response.once('close', gone);
      const more = () => {
        while (!response.destroyed) {
          sent += mb;
          if (!response.write(Buffer.alloc(mb))) break;
        }
        response.once('drain', more);
      };
      more();
    });
    expect(await refused(open({ allowFetch: true }), url)).toMatchObject({
      status: 422,
      code: 'voice_sample_too_large',
    });
    await closed;
    expect(sent).toBeLessThan(40 * mb);
  });
});
