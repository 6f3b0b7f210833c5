import { describe, expect, it } from 'vitest';
import {
  addVoiceSamples,
  createVoice,
  deleteVoice,
  findVoice,
  listVoices,
  voicesCalled,
} from '../../src/api/voices.js';
import { ApiError, UsageError } from '../../src/errors.js';
import { AttemptFailed, type StreamedBody } from '../../src/http/types.js';
import { rejection } from '../http/rig.js';
import { clientOver, json } from './client.js';

const narrator = { id: 'voice_aaaaaaaaaaaaaaaaaaaa', name: 'Narrator' };
const guide = { id: 'voice_bbbbbbbbbbbbbbbbbbbb', name: 'guide' };
const twin = { id: 'voice_cccccccccccccccccccc', name: 'guide' };
const gone = json({ ok: false, code: 'voice_not_found', message: 'gone' }, 404);
const dropped = new AttemptFailed('reset', true, 'dropped');

describe('a word for a voice', () => {
  it('means an id before a name, and a name as it is written before other letters', () => {
    const loud = { id: 'voice_dddddddddddddddddddd', name: 'NARRATOR' };
    const impostor = { id: 'voice_eeeeeeeeeeeeeeeeeeee', name: guide.id };
    const all = [narrator, guide, loud, impostor];
    expect(findVoice(all, guide.id)).toBe(guide);
    expect(findVoice(all, 'NARRATOR')).toBe(loud);
    expect(findVoice(all, 'Narrator')).toBe(narrator);
    expect(voicesCalled(all, 'narrator')).toEqual([narrator, loud]);
    expect(voicesCalled(all, 'nobody')).toEqual([]);
  });

  it('that means several is refused with their ids', () => {
    const find = () => findVoice([narrator, guide, twin], 'guide');
    expect(find).toThrow(UsageError);
    expect(find).toThrow(`${guide.id}, ${twin.id}`);
  });

  it('that means none is refused with the nearest', () => {
    expect(() => findVoice([narrator, guide], 'giude')).toThrow('did you mean "guide"?');
    expect(() => findVoice([narrator, guide], 'somebody')).toThrow(
      /^you have no voice "somebody"$/,
    );
  });
});

describe('deleting a voice', () => {
  it.each([
    ['whose first try got no answer', dropped],
    ['whose first answer came from something in between', { status: 502, body: '<html>' }],
  ])('is done when the second try finds none, %s', async (_, first) => {
    const client = clientOver([first, gone]);
    expect(await deleteVoice(client, narrator.id)).toBeUndefined();
    expect(client.requests).toHaveLength(2);
  });

  it.each([
    ['the first try', [gone]],
    ['a try after one that never left', [new AttemptFailed('connect', false, 'refused'), gone]],
    ['a try after one that was to wait', [{ status: 429, headers: { 'retry-after': '1' } }, gone]],
  ] as const)('is refused when %s finds none', async (_, [first, ...steps]) => {
    const failure = await rejection(deleteVoice(clientOver([first, ...steps]), narrator.id));
    expect(failure).toBeInstanceOf(ApiError);
    expect(failure).toMatchObject({ status: 404, code: 'voice_not_found' });
  });

  it('gives the reply, whatever it is', async () => {
    expect(await deleteVoice(clientOver([json({ any: 1 })]), narrator.id)).toEqual({ any: 1 });
  });
});

describe('a body with recordings', () => {
  const payload = (length: number) => {
    const body: StreamedBody = {
      length,
      open: () => {
        throw new Error('nobody reads it here');
      },
    };
    return { contentType: 'application/json', body };
  };
  const body = { name: 'me', consent: true as const, audio_base64: 'recording' };
  const once = { key: 'k', isKnown: false };

  it('longer than the service takes is refused before it is sent', async () => {
    const client = clientOver([json({}, 201)]);
    const failure = await rejection(
      createVoice(client, { body, payload: payload(70_953_645) }, once),
    );
    expect(failure).toBeInstanceOf(UsageError);
    expect(failure).toMatchObject({ code: 'payload_too_large' });
    expect(client.requests).toEqual([]);
    const more = { body: { samples: [{ audio_base64: 'x' }] }, payload: payload(70_953_645) };
    expect(await rejection(addVoiceSamples(client, guide.id, more))).toBeInstanceOf(UsageError);
  });

  it('of the largest length goes out as it is', async () => {
    const client = clientOver([json({ ok: true, voice: narrator }, 201)]);
    const longest = payload(70_953_644);
    expect((await createVoice(client, { body, payload: longest }, once)).voice).toEqual(narrator);
    expect(client.requests[0]?.body).toBe(longest.body);
  });

  it('without a recording is refused, whatever the payload', async () => {
    const client = clientOver([json({}, 201)]);
    const bare = { name: 'me', consent: true as const };
    const failure = await rejection(
      createVoice(client, { body: bare, payload: payload(10) }, once),
    );
    expect(failure).toBeInstanceOf(UsageError);
    expect(client.requests).toEqual([]);
  });
});

it('a list is given as it came, prices and unknown fields too', async () => {
  const reply = {
    voices: [{ ...guide, status: 'asleep', new_field: 1 }],
    pricing: [1],
    more: true,
  };
  expect(await listVoices(clientOver([json(reply)]))).toEqual(reply);
});
