import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { Interrupted } from '../../../src/cli/main.js';
import { gate } from '../../helpers/gate.js';
import { idOf, made, scene, wav, type Scene } from './scene.js';

const post = 'POST /api/media/voices';
const list = 'GET /api/media/voices';

/** Asks for a voice of a service that does this in place of an answer. */
async function asking(at: Scene, act: (response: ServerResponse) => void, ...flags: string[]) {
  at.instead = ({ method }, response) => {
    if (method === 'POST') act(response);
    return method === 'POST';
  };
  return at.svc(['create', 'me', at.file('a.wav', wav()), '--consent', ...flags]);
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
    ['the line is cut', cut],
    ['the answer breaks off', halfAnAnswer],
    ['something in between fails', badGateway],
  ])('finds the voice in the list when %s, and asks for it once', async (_, act) => {
    const at = await scene({ id: idOf(1), name: 'other' }, { id: idOf(2), name: 'me' });
    const result = await asking(at, (response) => {
      made(at.voices, 'me');
      act(response);
    });
    expect(result).toMatchObject({ code: 0, stdout: `${idOf(3)}\n` });
    expect(result.stderr).toContain(`${idOf(3)} was made, and is not asked for again`);
    expect(at.calls().slice(0, 3)).toEqual([list, post, list]);
  });

  it('gives the voice under --json', async () => {
    const at = await scene();
    const result = await asking(
      at,
      (response) => {
        made(at.voices, 'me');
        cut(response);
      },
      '--json',
    );
    expect(JSON.parse(result.stdout)).toMatchObject({
      ok: true,
      voice: { id: idOf(1), name: 'me' },
    });
    expect(result.stderr).toBe('');
  });

  it('waits a little for a voice that is still being made', async () => {
    const at = await scene();
    const result = await asking(at, cut);
    expect(result.code).toBe(10);
    let looks = 0;
    const later = await scene();
    later.instead = ({ method, url }, response) => {
      if (method === 'POST') cut(response);
      else if (url === '/api/media/voices' && (looks += 1) === 3) made(later.voices, 'me');
      return method === 'POST';
    };
    const path = later.file('a.wav', wav());
    const found = await later.svc(['create', 'me', path, '--consent']);
    expect(found).toMatchObject({ code: 0, stdout: `${idOf(1)}\n` });
  });

  it('that is nowhere ends with exit code 10 and what to do', async () => {
    const at = await scene({ id: idOf(1), name: 'me' });
    const result = await asking(at, cut);
    expect(result).toMatchObject({ code: 10, stdout: '' });
    expect(result.stderr).toContain('no voice of that name has appeared');
    expect(result.stderr).toContain('svc voices list');
    expect(at.calls()).toEqual([list, post, list, list, list]);
  });

  it('does not take another new voice for it', async () => {
    const at = await scene();
    const result = await asking(at, (response) => {
      made(at.voices, 'of somebody else');
      cut(response);
    });
    expect(result.code).toBe(10);
  });

  it('names those that it may be when there are several', async () => {
    const at = await scene();
    const result = await asking(at, (response) => {
      made(at.voices, 'me');
      made(at.voices, 'me');
      cut(response);
    });
    expect(result.code).toBe(10);
    expect(result.stderr).toContain(`the voice may be any of ${idOf(1)}, ${idOf(2)}`);
  });

  it('says so when the list cannot be asked for either', async () => {
    const at = await scene();
    let isDown = false;
    at.instead = ({ method }, response) => {
      isDown ||= method === 'POST';
      if (isDown) cut(response);
      return isDown;
    };
    const result = await at.svc(['create', 'me', at.file('a.wav', wav()), '--consent']);
    expect(result.code).toBe(10);
    expect(result.stderr).toContain('the list of voices could not be asked for');
    expect(at.calls().filter((call) => call === post)).toHaveLength(1);
  });

  it('tells whoever interrupts that it may have been made', async () => {
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
    expect(result.stderr).toContain('look: svc voices list');
    expect(at.calls()).toEqual([list, post]);
  });

  it('tells it also to whoever interrupts the looking', async () => {
    const at = await scene();
    const looking = gate();
    at.instead = ({ method }, response) => {
      if (method === 'POST') cut(response);
      else if (at.calls().length > 2) looking.open();
      return at.calls().length > 1;
    };
    const abort = new AbortController();
    const { signal } = abort;
    const running = at.svc(['create', 'me', at.file('a.wav', wav()), '--consent'], { signal });
    await looking.opened;
    abort.abort(new Interrupted('SIGINT'));
    const result = await running;
    expect(result).toMatchObject({ code: 130, stdout: '' });
    expect(result.stderr).toContain('look: svc voices list');
    expect(at.calls()).toEqual([list, post, list]);
  });
});
