import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { Interrupted } from '../../../src/errors.js';
import { json } from '../../helpers/fake-service.js';
import { testFolder } from '../../helpers/folder.js';
import { gate } from '../../helpers/gate.js';
import { idOf, made, scene, wav, type Scene } from './scene.js';

const post = 'POST /api/media/voices';
const list = 'GET /api/media/voices';

/** Asks for a voice of a service that does this in place of an answer. */
async function asking(at: Scene, act: (response: ServerResponse) => void, home = testFolder()) {
  at.instead = ({ method }, response) => {
    if (method === 'POST') act(response);
    return method === 'POST';
  };
  return at.svc(['create', 'me', at.file('a.wav', wav()), '--consent'], { home });
}

const cut = (response: ServerResponse) => {
  response.socket?.destroy();
};
const halfAnAnswer = (response: ServerResponse) => {
  response.writeHead(201, { 'content-length': '100' });
  response.write('{"ok":', () => response.socket?.destroy());
};
const badGateway = (response: ServerResponse) => {
  response.writeHead(502).end('<html></html>');
};

describe('svc voices create, when its answer gets lost', () => {
  it.each([
    ['the connection is cut', cut],
    ['the answer breaks off', halfAnAnswer],
    ['something in between fails', badGateway],
  ])('names what it may have made when %s, and asks for it once', async (_, act) => {
    const at = await scene({ id: idOf(1), name: 'other' });
    const result = await asking(at, (response) => {
      made(at.voices, 'me');
      act(response);
    });
    expect(result).toMatchObject({ code: 10, stdout: '' });
    expect(result.stderr).toContain(`; the voice may be ${idOf(2)}\n`);
    expect(result.stderr).toContain('svc voices list');
    expect(at.calls()).toEqual([list, post, 'GET /api/openapi', list]);
  });

  it('does not take another new voice for it', async () => {
    const at = await scene();
    const result = await asking(at, (response) => {
      made(at.voices, 'of somebody else');
      cut(response);
    });
    expect(result.code).toBe(10);
    expect(result.stderr).not.toContain(idOf(1));
  });

  it('ends in the same way when the list cannot be asked for either', async () => {
    const at = await scene();
    let isDown = false;
    at.instead = ({ method }, response) => {
      isDown ||= method === 'POST';
      if (isDown) cut(response);
      return isDown;
    };
    const result = await at.svc(['create', 'me', at.file('a.wav', wav()), '--consent']);
    expect(result.code).toBe(10);
    expect(at.calls().filter((call) => call === post)).toHaveLength(1);
  });

  it('does not pay for it again unasked when the same command is typed again', async () => {
    const at = await scene();
    const home = testFolder();
    const line = ['create', 'me', at.file('a.wav', wav()), '--consent'];
    expect((await asking(at, cut, home)).code).toBe(10);
    at.instead = () => false;
    const again = await at.svc(line, { home });
    expect(again).toMatchObject({ code: 10, stdout: '' });
    expect(again.stderr).toContain('an earlier run of this request, ');
    expect(again.stderr).toContain('; to pay for another, use --new\n');
    expect(at.calls().filter((call) => call === post)).toHaveLength(1);
    expect(await at.svc([...line, '--new'], { home })).toMatchObject({ code: 0 });
    // That one ended well: the next is another voice.
    expect(await at.svc(line, { home })).toMatchObject({ code: 0, stdout: `${idOf(2)}\n` });
  });

  it('asks again with its key where the service supports the key', async () => {
    const at = await scene();
    const keys = new Map<unknown, string>();
    const post201 = { parameters: [{ name: 'Idempotency-Key', in: 'header' }] };
    at.instead = (seen, response) => {
      if (seen.url === '/api/openapi') {
        json({ paths: { '/api/media/voices': { post: post201 } } })(seen, response);
        return true;
      }
      if (seen.method !== 'POST') return false;
      const key = seen.headers['idempotency-key'];
      const reply = keys.get(key);
      if (reply === undefined) {
        keys.set(key, JSON.stringify(made(at.voices, 'me')));
        cut(response);
      } else {
        json(JSON.parse(reply), 201)(seen, response);
      }
      return true;
    };
    const result = await at.svc(['create', 'me', at.file('a.wav', wav()), '--consent']);
    expect(result).toMatchObject({ code: 0, stdout: `${idOf(1)}\n` });
    expect([keys.size, at.voices.length]).toEqual([1, 1]);
  });

  it('says on an interruption that it may have been made', async () => {
    const at = await scene();
    const asked = gate();
    at.instead = ({ method }) => {
      if (method === 'POST') asked.open();
      return method === 'POST';
    };
    const abort = new AbortController();
    const { signal } = abort;
    const running = at.svc(['create', 'me', at.file('a.wav', wav()), '--consent'], { signal });
    await asked.opened;
    abort.abort(new Interrupted('SIGINT'));
    const result = await running;
    expect(result).toMatchObject({ code: 130, stdout: '' });
    expect(result.stderr).toContain('to check: svc voices list');
    expect(at.calls()).toEqual([list, post]);
  });
});
