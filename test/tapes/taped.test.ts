import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BodyCut } from '../../src/http/types.js';
import { multipart } from '../../src/http/request-body.js';
import { ManualClock, SkippingClock } from '../helpers/manual-clock.js';
import { scripted } from '../helpers/scripted-transport.js';
import { asking, heard, jsonType, posting, sse, tapeRig } from './rig.js';

describe('what is recorded', () => {
  it('is one line for each exchange, in canonical form, without what differs each time', async () => {
    const at = tapeRig();
    const headers = {
      ...jsonType,
      date: 'today',
      server: 'x',
      'content-length': '17',
      'x-svc-generation-id': 'gen_1',
      'set-cookie': 'a=b',
    };
    await at.record([
      posting({ b: 1, a: { d: 2, c: 'é' } }),
      { headers, body: '{"z":1.10,"a":"é"}' },
    ]);
    expect(at.lines()).toEqual([
      '{"svcTape":1,"ignore":["$.clientIncidentId","$.max_tokens","$.max_completion_tokens",' +
        '"$.max_output_tokens","$.max_price_rub","$.client_metadata","$.prompt_cache_key",' +
        '"$.input[*].id","$.metadata.user_id"]}',
      '{"request":{"method":"POST","path":"/v1/chat/completions","json":{"a":{"c":"é","d":2},"b":1}},' +
        '"answer":{"status":200,"headers":{"content-type":"application/json","x-svc-generation-id":"gen_1"},' +
        '"ms":0,"json":{"z":1.10,"a":"é"}}}',
    ]);
    const { play } = at.player();
    const played = await play(posting({ a: { c: 'é', d: 2 }, b: 1 }));
    expect(played).toMatchObject({ status: 200, text: '{"z":1.10,"a":"é"}', error: undefined });
    expect(played.headers).toEqual({
      ...jsonType,
      'x-svc-generation-id': 'gen_1',
      'content-length': '19',
    });
  });

  it('keeps every byte of JSON that is not written as svc would, and of other text', async () => {
    const at = tapeRig();
    const bodies = ['{ "a": 1 }', '{"a":"\\u00e9"}\n', '\ufeff{"a":1}', 'plain', '', '[1.0]'];
    const asked = bodies.map((_, n) => asking(`/v1/${n}`));
    await at.record(
      ...asked.map((one, n) => [one, { headers: jsonType, body: bodies[n] }] as const),
    );
    const { play } = at.player();
    const played = [];
    for (const one of asked) played.push((await play(one)).text);
    expect(played).toEqual(bodies);
  });

  it('keeps the borders of pieces, within a character too, and their times', async () => {
    const at = tapeRig();
    const clock = new ManualClock();
    const euro = Buffer.from('data: €\n\n');
    const [start, end] = [euro.subarray(0, 7), euro.subarray(7)];
    const transport = scripted((request) =>
      scripted({ headers: sse, body: [start, end, Buffer.from('data: b\n\n')] })
        .transport(request)
        .then((response) => ({
          ...response,
          pipe: (sink) =>
            response.pipe((piece) => {
              clock.pass(20);
              return sink(piece);
            }),
        })),
    ).transport;
    const first = await heard(at.recorder(clock).send(asking('/v1/a'), transport));
    expect(at.text()).toContain(
      '"pieces":[[20,{"base64":"ZGF0YTog4g=="}],[40,{"base64":"gqwKCg=="}],[60,"data: b\\n\\n"]]',
    );
    const skipping = new SkippingClock();
    const { play } = at.player({ speed: 1 }, skipping);
    expect((await play(asking('/v1/a'))).pieces).toEqual(first.pieces);
    expect(skipping.sleeps).toEqual([20, 20, 20]);
    const still = new ManualClock();
    expect((await at.player({}, still).play(asking('/v1/a'))).pieces).toEqual(first.pieces);
    expect(still.sleeps).toEqual([]);
  });

  it('puts binary answers into files beside the tape, under the hash of their bytes', async () => {
    const at = tapeRig();
    const mp3 = Buffer.concat([Buffer.from('ID3\x03'), Buffer.from([0xff, 0xfb, 0x90, 0])]);
    const step = { headers: { 'content-type': 'audio/mpeg' }, body: [mp3, mp3] };
    await at.record([asking('/a'), step], [asking('/b'), step]);
    expect(readdirSync(`${at.path}.files`)).toEqual([expect.stringMatching(/^[0-9a-f]{16}\.mp3$/)]);
    const { pieces, headers } = await at.player().play(asking('/b'));
    expect(Buffer.from(pieces.join(''), 'latin1')).toEqual(Buffer.concat([mp3, mp3]));
    expect(headers['content-length']).toBe('16');
  });

  it('moves a long stream to a file while it arrives, with its borders', async () => {
    const at = tapeRig();
    const body = Array.from({ length: 3000 }, (_, n) =>
      Buffer.from(`data: ${n} ${'é'.repeat(300)}\n\n`),
    );
    const [first] = await at.record([asking('/a'), { headers: sse, body }]);
    expect(at.lines()[1]?.length).toBeLessThan(60_000);
    const played = await at.player().play(asking('/a'));
    expect(played.pieces).toEqual(first?.pieces);
    expect(readdirSync(`${at.path}.files`)).toEqual([expect.stringMatching(/^[0-9a-f]{16}\.txt$/)]);
  });

  it('notes forms by their parts whatever their boundary, and files in JSON by their hash', async () => {
    const at = tapeRig();
    const form = (id: string) => {
      const file = {
        field: 'file',
        filename: 'a.wav',
        type: 'audio/wav',
        content: Buffer.from('RIFF'),
      };
      const { body, contentType } = multipart(
        [
          ['model', 'm'],
          ['clientIncidentId', id],
        ],
        [file],
      );
      return asking('/v1/t', { body, headers: { 'Content-Type': contentType } });
    };
    const image = posting({ image: `data:image/png;base64,${'QUJD'.repeat(400)}` }, '/v1/i');
    await at.record([form('1'), { body: 'heard' }], [image, { body: 'seen' }]);
    expect(at.lines()[1]).toContain('"form":[{"name":"model","value":"m"}');
    expect(at.lines()[1]).toContain('{"name":"file","filename":"a.wav","sha256":"');
    expect(at.lines()[2]).toMatch(/"image":"sha256:[0-9a-f]{64} of 1622 characters"/);
    const { play } = at.player();
    expect((await play(form('2'))).text).toBe('heard');
    expect((await play(image)).text).toBe('seen');
  });

  it('keeps JSON that is nested too deeply as the text that it is', async () => {
    const at = tapeRig();
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const asked = asking('/a', { body: deep, headers: jsonType });
    await at.record([asked, { headers: jsonType, body: deep }]);
    expect((await at.player().play(asked)).text).toBe(deep);
    await expect(at.player().play(posting([]))).rejects.toThrow('is not on the tape');
  });

  it('keeps an answer that the other side cut off as cut, and nothing that was given up', async () => {
    const at = tapeRig();
    const gone = new AbortController();
    const tape = at.recorder();
    const body = [Buffer.from('data: a\n\n'), Buffer.from('data: b\n\n')];
    await heard(
      tape.send(asking('/cut'), scripted({ headers: sse, body, cut: 'reset' }).transport),
    );
    await heard(
      tape.send(asking('/late'), scripted({ headers: sse, body, cut: 'aborted' }).transport),
    );
    const aborted = asking('/gone', { signal: gone.signal });
    const given = await tape.send(aborted, scripted({ headers: sse, body }).transport);
    gone.abort();
    const leave = () => {
      throw new Error('enough');
    };
    await expect(given.pipe(leave)).rejects.toThrow('enough');
    (await tape.send(asking('/busy'), scripted({ status: 503, body: 'x' }).transport)).discard();
    expect(at.lines()).toHaveLength(2);
    const { pieces, error } = await at.player().play(asking('/cut'));
    expect(pieces).toEqual(['data: a\n\n', 'data: b\n\n']);
    expect(error).toBeInstanceOf(BodyCut);
    expect(error).toMatchObject({ reason: 'reset' });
  });

  it('keeps redirects and refusals that nobody reads, and streams whose reader had enough', async () => {
    const at = tapeRig();
    const tape = at.recorder();
    const moved = { status: 302, headers: { location: 'https://cdn.example/a?sig=abcdef' } };
    (await tape.send(asking('/r'), scripted(moved).transport)).discard();
    (await tape.send(asking('/n'), scripted({ status: 404, body: 'no' }).transport)).discard();
    const stream = scripted({ headers: sse, body: [Buffer.from('a'), Buffer.from('b')] }).transport;
    const enough = () => {
      throw new Error('enough');
    };
    await expect((await tape.send(asking('/s'), stream)).pipe(enough)).rejects.toThrow('enough');
    const { play } = at.player();
    expect(await play(asking('/r'))).toMatchObject({
      status: 302,
      headers: { location: 'https://cdn.example/a?sig=xxxxxx' },
    });
    expect(await play(asking('/n'))).toMatchObject({ status: 404, text: '' });
    expect(await play(asking('/s'))).toMatchObject({ pieces: ['a'], error: undefined });
  });
});

describe('what is played', () => {
  it('is the n-th recording for the n-th same request, and the last one from then on', async () => {
    const at = tapeRig();
    const poll = asking('/jobs/1');
    await at.record(
      [poll, { body: 'queued' }],
      [posting({}), { body: 'x' }],
      [poll, { body: 'done' }],
    );
    const { play } = at.player();
    const texts = [];
    for (let n = 0; n < 4; n += 1) texts.push((await play(poll)).text);
    expect(texts).toEqual(['queued', 'done', 'done', 'done']);
    expect(
      (await Promise.all([play(posting({})), play(posting({}))])).map(({ text }) => text),
    ).toEqual(['x', 'x']);
  });

  it('does not look at what the first line names', async () => {
    const at = tapeRig();
    const body = (id: number) => ({
      metadata: { id },
      tools: [{ id, name: 'a' }],
      'a b': id,
      n: 1,
    });
    await at.record([posting(body(1)), { body: 'same' }]);
    const [, line = ''] = at.lines();
    at.write('{"svcTape":1,"ignore":["$.metadata.id","$.tools[*].id","$[\'a b\']"]}', line);
    const { play } = at.player();
    expect((await play(posting(body(2)))).text).toBe('same');
    await expect(play(posting({ ...body(1), n: 2 }))).rejects.toThrow('is not on the tape');
    at.write('{"svcTape":1,"ignore":["metadata.id"]}', line);
    expect(() => at.player()).toThrow(/not a JSON path: metadata.id/);
  });

  it('a path that does not count reaches nothing but the body', async () => {
    const at = tapeRig();
    const line =
      '{"request":{"method":"POST","path":"/v1/chat/completions","json":{"a":1}},"answer":{"status":200,"headers":{},"ms":0}}';
    const paths = [
      '$.constructor.keys',
      "$['__proto__'].hasOwnProperty",
      '$.*.constructor.isInteger',
    ];
    at.write(JSON.stringify({ svcTape: 1, ignore: paths }), line);
    expect((await at.player().play(posting({ a: 1 }))).status).toBe(200);
    expect(Object.keys({ a: 1 })).toEqual(['a']);
    expect(Object.prototype).toHaveProperty('hasOwnProperty');
  });

  it('does not look at the limits that svc puts into requests for its ceilings', async () => {
    const at = tapeRig();
    await at.record([posting({ model: 'a', max_tokens: 4096 }), { body: 'same' }]);
    const { play } = at.player();
    expect((await play(posting({ model: 'a' }))).text).toBe('same');
    expect((await play(posting({ model: 'a', max_tokens: 7 }))).text).toBe('same');
  });

  it('does not look at the ids with which codex and claude mark their requests', async () => {
    const at = tapeRig();
    const marked = (id: string, text = 'hi') => ({
      input: [{ id, content: text }],
      ...{ prompt_cache_key: id, client_metadata: { turn_id: id }, metadata: { user_id: id } },
    });
    await at.record([posting(marked('1')), { body: 'same' }]);
    const { play } = at.player();
    expect((await play(posting(marked('2')))).text).toBe('same');
    await expect(play(posting(marked('1', 'ho')))).rejects.toThrow('is not on the tape');
  });

  it('fits any address: neither the host counts nor the path of the base URL', async () => {
    const at = tapeRig();
    const base = new URL('https://gateway.example/api/');
    const url = new URL('https://gateway.example/api/v1/models?a=1');
    const request = { ...asking('/'), url };
    await heard(at.recorder().send(request, scripted({ body: 'x' }).transport, base));
    expect((await at.player().play(asking('/v1/models?a=1'))).text).toBe('x');
    await expect(at.player().play(asking('/v1/models?a=2'))).rejects.toThrow('is not on the tape');
  });

  it('says how a request that is not there differs from the nearest one', async () => {
    const at = tapeRig();
    const long = 'word '.repeat(100);
    await at.record(
      [posting({ model: 'a', messages: [{ content: `${long}one` }] }), { body: 'x' }],
      [posting({ model: 'b', messages: [{ content: 'other' }], n: 1, m: 2 }), { body: 'x' }],
    );
    const { play } = at.player();
    const asked = { model: 'a', messages: [{ content: `${long}two sk-svc-0123456789abcdef` }] };
    await expect(play(posting(asked))).rejects.toMatchObject({
      ...{ status: 404, code: 'not_on_tape', hint: 'to record it: --on-miss record' },
      message:
        'POST /v1/chat/completions is not on the tape: the nearest recorded request differs in ' +
        '$.messages[0].content: recorded …word word one", asked …word word two xxxxxxxxxxxxxxxxxxxxxxx"',
    });
    const elsewhere = play(posting(asked, '/v1/messages'));
    await expect(elsewhere).rejects.toThrow('it has POST /v1/chat/completions');
  });

  it('records what it does not have where it is told to', async () => {
    const at = tapeRig();
    await at.record([asking('/a'), { body: 'old' }]);
    const { tape } = at.player({ onMiss: 'record' });
    const behind = scripted({ body: 'new' });
    const send = (path: string) => heard(tape.send(asking(path), behind.transport));
    expect([(await send('/a')).text, (await send('/b')).text]).toEqual(['old', 'new']);
    expect(behind.requests).toHaveLength(1);
    expect(tape.isOffline).toBe(false);
    expect((await at.player().play(asking('/b'))).text).toBe('new');
  });
});
