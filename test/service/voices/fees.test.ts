import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { monthlyChargeAtMs } from '../../../src/service/voices/fees.js';
import { testFolder } from '../../helpers/folder.js';
import { get, keys } from '../helpers.js';
import {
  balanceOf,
  day,
  expectBalanced,
  generate,
  historyOf,
  lighthouse,
  open,
  refusedWith,
  type Opened,
} from '../media/helpers.js';
import { addTo, clone, cloned, growing, listed, remove, tone } from './helpers.js';

/** Sets the clock to a moment of 2026, or later: `02-15T12:00`. */
function at({ clock }: Opened, moment: string): void {
  clock.set(Date.parse(`2026-${moment}:00.000Z`));
}

async function only(opened: Opened) {
  const { voices } = await listed(opened);
  expect(voices).toHaveLength(1);
  return voices[0];
}

async function feesOf(opened: Opened) {
  const records = await historyOf(opened);
  return records
    .filter(({ route }) => route === ':storage')
    .map(({ priceRub, createdAt }) => [createdAt, priceRub]);
}

describe('the fee of a voice', () => {
  it('is taken on the same day of each month, at that time', async () => {
    const opened = open();
    await cloned(opened);
    at(opened, '02-15T11:59');
    expect(await only(opened)).toMatchObject({ next_charge_at: '2026-02-15T12:00:00.000Z' });
    expect(await feesOf(opened)).toEqual([]);
    at(opened, '02-15T12:00');
    expect(await only(opened)).toMatchObject({
      status: 'active',
      next_charge_at: '2026-03-15T12:00:00.000Z',
    });
    expect(await feesOf(opened)).toEqual([['2026-02-15T12:00:00.000Z', 15]]);
    expect(await expectBalanced(opened)).toBe(65);
  });

  it('of several months is taken by whatever call comes first, each at its time', async () => {
    const opened = open();
    await cloned(opened);
    at(opened, '05-20T00:00');
    expect(await balanceOf(opened)).toBe(1000 - 50 - 4 * 15);
    expect(await feesOf(opened)).toEqual([
      ['2026-05-15T12:00:00.000Z', 15],
      ['2026-04-15T12:00:00.000Z', 15],
      ['2026-03-15T12:00:00.000Z', 15],
      ['2026-02-15T12:00:00.000Z', 15],
    ]);
    await expectBalanced(opened);
  });

  it('is named with the key that made the voice', async () => {
    const opened = open();
    await cloned(opened);
    at(opened, '02-16T00:00');
    const usage: unknown = await (await get(opened.service, '/v1/usage')).json();
    expect(usage).toMatchObject({
      data: [
        { key: 'local', model: 'local/voice', route: ':clone', priceRub: 50 },
        { key: 'local', model: 'local/voice', route: ':storage', priceRub: 15 },
      ],
    });
  });

  it('is taken once, although two processes look', async () => {
    const storePath = join(testFolder(), 'local.sqlite');
    const [one, other] = [open({ storePath }), open({ storePath })];
    await cloned(one);
    at(one, '02-16T00:00');
    at(other, '02-16T00:00');
    const looks = [one, other, one, other].map((opened) => balanceOf(opened));
    expect(await Promise.all(looks)).toEqual([935, 935, 935, 935]);
    expect(await feesOf(other)).toEqual([['2026-02-15T12:00:00.000Z', 15]]);
  });

  it('ends with the voice', async () => {
    const opened = open();
    const { voice } = await cloned(opened);
    await remove(opened, voice.id);
    at(opened, '12-31T00:00');
    expect(await balanceOf(opened)).toBe(950);
  });

  it.each([
    ['2026-01-31', ['2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31']],
    ['2028-01-30', ['2028-02-29', '2028-03-30', '2028-04-30', '2028-05-30']],
    ['2026-11-30', ['2026-12-30', '2027-01-30', '2027-02-28', '2027-03-30']],
  ])('of a voice of %s is due on the last day of shorter months', (created, due) => {
    const ms = Date.parse(`${created}T08:00:00.000Z`);
    const months = [1, 2, 3, 4].map((month) => monthlyChargeAtMs(ms, month));
    expect(months).toEqual(due.map((date) => Date.parse(`${date}T08:00:00.000Z`)));
  });
});

it('a voice that the balance cannot pay is unpaid for a week, and then deleted', async () => {
  const opened = open({ openingBalanceRub: 60 });
  const { voice } = await cloned(opened);
  at(opened, '02-15T12:00');
  expect(await only(opened)).toEqual({
    ...voice,
    status: 'unpaid',
    next_charge_at: null,
    deletion_at: '2026-02-22T12:00:00.000Z',
  });
  expect(await balanceOf(opened)).toBe(10);
  at(opened, '02-22T11:59');
  expect(await only(opened)).toMatchObject({ status: 'unpaid' });
  at(opened, '02-22T12:00');
  expect((await listed(opened)).voices).toEqual([]);
  expect(await refusedWith(await remove(opened, voice.id))).toBe('404 voice_not_found');
  expect(await expectBalanced(opened, 60)).toBe(50);
});

it('a voice that the balance cannot pay is gone when no call came before its deletion', async () => {
  const opened = open({ openingBalanceRub: 66 });
  await cloned(opened);
  at(opened, '12-01T00:00');
  expect((await listed(opened)).voices).toEqual([]);
  // One month was paid, the next was not.
  expect(await expectBalanced(opened, 66)).toBe(65);
});

it('a voice that the balance cannot pay is paid as soon as the balance allows it, and keeps to its day', async () => {
  const opened = open({ openingBalanceRub: 50 + 2.4 + 14, jobTimeMs: 4 * day });
  await cloned(opened);
  at(opened, '02-13T12:00');
  expect((await generate(opened, { ...lighthouse, model: 'canvas:failing' })).status).toBe(202);
  at(opened, '02-15T12:00');
  expect(await only(opened)).toMatchObject({ status: 'unpaid' });
  // The job fails, and its price comes back.
  at(opened, '02-17T12:00');
  expect(await only(opened)).toMatchObject({
    status: 'active',
    next_charge_at: '2026-03-15T12:00:00.000Z',
    deletion_at: null,
  });
  expect(await feesOf(opened)).toEqual([['2026-02-17T12:00:00.000Z', 15]]);
  expect(await expectBalanced(opened, 66.4)).toBe(65);
});

it('a voice that the balance cannot pay still has its place, and can be deleted or grow', async () => {
  const opened = open({ openingBalanceRub: 129 });
  const { voice } = await growing(opened);
  at(opened, '02-16T00:00');
  expect(await only(opened)).toMatchObject({ status: 'unpaid' });
  expect((await addTo(opened, voice.id, [tone(1)])).status).toBe(200);
  expect((await remove(opened, voice.id)).status).toBe(200);
  expect((await clone(opened)).status).toBe(402);
});

it('a voice that the balance cannot pay of several leaves the others paid, in the order they are due', async () => {
  const opened = open({ openingBalanceRub: 50 + 50 + 15 });
  await cloned(opened, { name: 'first' });
  at(opened, '01-16T12:00');
  await cloned(opened, { name: 'second' });
  at(opened, '02-17T00:00');
  expect((await listed(opened)).voices).toMatchObject([
    { name: 'first', status: 'active' },
    { name: 'second', status: 'unpaid' },
  ]);
  expect((await listed(opened, keys.sandbox)).voices).toEqual([]);
});
