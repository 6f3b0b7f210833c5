import { expect, it } from 'vitest';
import { say, spoken } from '../audio/helpers.js';
import { keys } from '../helpers.js';
import {
  balanceOf,
  errorOf,
  generate,
  historyOf,
  open,
  refusedWith,
  type Opened,
} from '../media/helpers.js';
import { cloned, listed, remove } from './helpers.js';

const input = 'one two three';
const stranger = 'voice_00000000000000000000';

async function usedAt(opened: Opened) {
  return (await listed(opened)).voices.map((voice) => voice.last_used_at);
}

function job(voice: string) {
  return { model: 'local/voice', prompt: input, opts: { voice } };
}

it('a cloned voice remembers when it was last used, by speech and by jobs', async () => {
  const opened = open();
  const { voice } = await cloned(opened);
  await cloned(opened, { name: 'quiet' });
  opened.clock.set(Date.UTC(2026, 0, 16, 9));
  await spoken(opened, { input, voice: voice.id });
  expect(await usedAt(opened)).toEqual(['2026-01-16T09:00:00.000Z', null]);
  opened.clock.set(Date.UTC(2026, 0, 17, 9));
  expect((await generate(opened, job(voice.id))).status).toBe(202);
  expect(await usedAt(opened)).toEqual(['2026-01-17T09:00:00.000Z', null]);
});

it('a cloned voice that is deleted while a job uses it is used to the end', async () => {
  const opened = open();
  const { voice } = await cloned(opened);
  expect((await generate(opened, job(voice.id))).status).toBe(202);
  await remove(opened, voice.id);
  expect(await refusedWith(await generate(opened, job(voice.id)))).toBe('422 voice_not_found');
});

it('a cloned voice is refused when it is not there, and nothing is charged', async () => {
  const opened = open();
  const { voice } = await cloned(opened);
  for (const [id, key] of [
    [stranger, keys.local],
    [voice.id, keys.sandbox],
  ] as const) {
    const before = await balanceOf(opened, key);
    const speech = await errorOf(await say(opened, { input, voice: id }, { key }));
    expect(speech).toMatchObject({ status: 400, code: 'voice_not_found', param: 'voice' });
    const response = await generate(opened, job(id), { key });
    expect(await refusedWith(response)).toBe('422 voice_not_found');
    expect(await balanceOf(opened, key)).toBe(before);
  }
});

it('a cloned voice cannot be used while it is unpaid', async () => {
  const opened = open({ openingBalanceRub: 60 });
  const { voice } = await cloned(opened);
  opened.clock.set(Date.UTC(2026, 1, 16));
  const speech = await errorOf(await say(opened, { input, voice: voice.id }));
  expect(speech).toMatchObject({ status: 402, code: 'voice_unpaid' });
  expect(await refusedWith(await generate(opened, job(voice.id)))).toBe('402 voice_unpaid');
  expect(await historyOf(opened)).toHaveLength(1);
  expect(await usedAt(opened)).toEqual([null]);
});
