/** What is paid for when it is asked for is paid for once, whatever becomes of its answer. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EndpointId } from '../../src/contract/index.js';
import { Interrupted } from '../../src/errors.js';
import { testFolder } from '../helpers/folder.js';
import { front, type Rule } from '../helpers/front.js';
import type { RunOptions } from '../helpers/run.js';
import { hideOwners, killedIn } from '../helpers/state.js';
import { png } from '../helpers/fake-media.js';
import { wav } from './voices/scene.js';

interface Paid {
  readonly endpoint: EndpointId;
  /** The words after `svc`; F/ is a folder with a recording, FILM the id of a film. */
  readonly line: string;
  readonly priceRub: number;
  /** Where a person can find out whether it was made. */
  readonly look: string;
  readonly lookAfterStop?: string;
}

const paid: Readonly<Record<string, Paid>> = {
  'an image': {
    endpoint: 'images.create',
    line: 'image create -m local/canvas --quality draft lighthouse -o F/',
    priceRub: 0.6,
    look: 'svc image list',
    lookAfterStop: 'svc jobs list',
  },
  'a voice': {
    endpoint: 'voices.create',
    line: 'voices create me F/a.wav --consent',
    priceRub: 50,
    look: 'svc voices list',
  },
  speech: {
    endpoint: 'audio.speech',
    line: 'speak -m local/voice hello -o F/',
    priceRub: 0.04,
    look: 'svc usage list',
  },
  'a transcription': {
    endpoint: 'audio.transcription',
    line: 'transcribe -m local/transcribe F/a.wav',
    priceRub: 0.04,
    look: 'svc usage list',
  },
  'an extension': {
    endpoint: 'media.extend',
    line: 'jobs extend FILM rain --tier lite --yes -o F/',
    priceRub: 7.2,
    look: 'svc usage list',
    lookAfterStop: 'svc jobs list',
  },
};

/** A service, what was paid there, and the line. */
async function scene({ endpoint, line, priceRub }: Paid, knowsKeys = false) {
  const at = await front({ usual: { tty: { stdin: true } }, jobTimeMs: 0 });
  const folder = testFolder();
  writeFileSync(join(folder, 'a.wav'), wav());
  // To draw a picture takes seconds.
  at.on(/^GET .*\/file\//, { answer: { bytes: png } });
  if (!knowsKeys) at.on('openapi.get', { answer: { json: { paths: {} } } });
  const keys = () =>
    at.requests.flatMap(({ method, url, headers }) =>
      method === 'POST' && !url.endsWith('/price') ? headers['idempotency-key'] : [],
    );
  const { jobId } = await at.ask('POST', '/api/media/generate', {
    model: 'local/reel',
    prompt: 'x',
  });
  const balance = async () => Number((await at.ask('GET', '/v1/balance'))['balance_rub']);
  const beforeRub = await balance();
  /** How often it was asked for, and paid for. */
  const counts = async () => [
    keys().length,
    Number(((beforeRub - (await balance())) / priceRub).toFixed(6)),
  ];
  const words = line.replaceAll('F/', `${folder}/`).replace('FILM', String(jobId));
  const svc = (more = '', options?: RunOptions) => at.svc(`${words} ${more}`, options);
  return { ...at, counts, keys, lose: (rule: Rule) => at.on(endpoint, rule), svc };
}

const page = Buffer.from('<html></html>');

describe.each(Object.entries(paid))('%s', (what, row) => {
  it.each<[how: string, rule: Rule]>([
    ['the connection is cut', { drop: 'answer' }],
    ['the answer breaks off', { cutAfterBytes: 6 }],
    ['something in between fails', { answer: { status: 502, bytes: page } }],
  ])('is asked for once where %s, which says where to look', async (how, rule) => {
    const at = await scene(row);
    at.lose(rule);
    const { code, stdout, stderr } = await at.svc();
    const isCut = what === 'speech' && how.endsWith('off');
    expect({ code, stdout }).toEqual({ code: isCut ? 12 : 10, stdout: '' });
    expect(stderr).toContain(row.look);
    expect(await at.counts()).toEqual([1, rule.answer ? 0 : 1]);
  });

  it.each(['an answer that was lost', 'svc was killed'])(
    'is not paid for again unasked after %s, but with --new',
    async (how) => {
      const at = await scene(row);
      if (how === 'svc was killed') {
        expect(await at.svc()).toMatchObject({ code: 0 });
        killedIn(at.home);
      } else {
        at.lose({ drop: 'answer', times: 1 });
        expect(await at.svc()).toMatchObject({ code: 10 });
      }
      expect(await at.counts()).toEqual([1, 1]);
      const again = await at.svc();
      expect(again).toMatchObject({ code: 10, stdout: '' });
      expect(again.stderr).toContain('error: an earlier run of this request, ');
      expect(again.stderr).toContain(' ago, may have been carried out and charged');
      expect(again.stderr).toContain('; to pay for another, use --new\n');
      expect(await at.counts()).toEqual([1, 1]);
      expect(await at.svc('--new')).toMatchObject({ code: 0 });
      // The one that was left alone stays so, and the next is another.
      expect(await at.svc()).toMatchObject({ code: 0 });
      expect(await at.counts()).toEqual([3, 3]);
      expect(new Set(at.keys()).size).toBe(3);
    },
  );

  it('is asked for again with its key where the service knows the key, and paid for once', async () => {
    const at = await scene(row, true);
    at.lose({ drop: 'answer', times: 1 });
    expect(await at.svc()).toMatchObject({ code: 0 });
    expect(await at.counts()).toEqual([2, 1]);
    expect(new Set(at.keys()).size).toBe(1);
  });

  it('is resumed with its key by the same command, and paid for once', async () => {
    const at = await scene(row, true);
    at.lose({ cutAfterBytes: 6 });
    expect(await at.svc()).toMatchObject({ code: what === 'speech' ? 12 : 10, stdout: '' });
    at.lose({});
    const again = await at.svc('--json');
    expect(again.code).toBe(0);
    const words =
      /^resuming a request without an answer \(started \d+ s ago\): nothing is paid twice/m;
    expect(again.stderr).toMatch(words);
    expect(JSON.parse(again.stdout)).toMatchObject({ resumed: true });
    expect((await at.counts())[1]).toBe(1);
    expect(new Set(at.keys()).size).toBe(1);
  });

  it('of a process that may still run where it cannot be seen is not asked for again', async () => {
    const at = await scene(row);
    at.lose({ drop: 'answer' });
    await at.svc();
    hideOwners(at.home);
    const { code, stderr } = await at.svc();
    expect(code).toBe(10);
    expect(stderr).toContain('warning: whether the run of 0 s ago on container has ended');
    expect(await at.counts()).toEqual([1, 1]);
  });

  it('says on Ctrl-C that it may have been made, and is not paid for again unasked', async () => {
    const at = await scene(row);
    const interrupt = new AbortController();
    at.lose({ nth: 1, first: () => interrupt.abort(new Interrupted('SIGINT')) });
    const { code, stdout, stderr } = await at.svc('', { signal: interrupt.signal });
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
    expect(stderr).toContain(row.lookAfterStop ?? row.look);
    expect(await at.svc()).toMatchObject({ code: 10, stdout: '' });
    expect(at.keys()).toHaveLength(1);
  });

  it('that was refused is over: the same command asks anew', async () => {
    const at = await scene(row);
    at.lose({ nth: 1, answer: { status: 402, json: { error: { message: 'too little' } } } });
    expect(await at.svc()).toMatchObject({ code: 5, stdout: '' });
    expect(await at.svc()).toMatchObject({ code: 0 });
    expect(await at.counts()).toEqual([2, 1]);
  });
});
