import { describe, expect, it } from 'vitest';
import { fakeService, type Answer } from '../../helpers/fake-service.js';
import { open, refusal, type Opened } from '../media/helpers.js';
import { wav } from '../media/tones.js';
import { clone, listed, mb, voiceIn } from './helpers.js';

/** A server of this machine that answers as it is told; it remembers what it was asked. */
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
  it('is not asked by a service without leave', async () => {
    const { url, asked } = await recording();
    expect(await refused(open(), url)).toMatchObject(unreachable);
    expect(asked()).toEqual([]);
  });

  it('is asked with leave, and what comes is measured', async () => {
    const { url, asked } = await recording();
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
  ])('is refused unasked when it is %s', async (address, reason) => {
    const answer = await refused(open({ allowFetch: true }), address);
    expect(answer).toMatchObject({ ...unreachable, message: expect.stringMatching(reason) });
  });

  it('leads nowhere that it could not name itself', async () => {
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
