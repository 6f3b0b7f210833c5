import { describe, expect, it } from 'vitest';
import type { ImageJob } from '../../../src/api/images.js';
import {
  alike,
  candidates,
  match,
  reachesBack,
  type Lost,
} from '../../../src/commands/image/match.js';

const lost = (intent: string, sentAtMs: number, model = 'vendor/canvas'): Lost => ({
  intent,
  model,
  sentAtMs,
  untilMs: sentAtMs + 60_000,
});
const job = (id: string, created?: number, model: string | undefined = 'vendor/canvas') =>
  ({ id, model, created, status: 'succeeded', costRub: 1 }) satisfies ImageJob;
const matched = (images: readonly Lost[], jobs: readonly ImageJob[], aheadMs = 0) =>
  Object.fromEntries([...match(images, { jobs, aheadMs })].map(([intent, { id }]) => [intent, id]));

describe('images without an answer and the list of the service', () => {
  it('go together in the order in which they were asked for', () => {
    const images = [lost('a', 10_000), lost('b', 20_000), lost('c', 30_000)];
    const jobs = [job('3', 30), job('2', 21), job('1', 10)];
    expect(matched(images, jobs)).toEqual({ a: '1', b: '2', c: '3' });
    expect(matched([...images].reverse(), jobs)).toEqual({ a: '1', b: '2', c: '3' });
  });

  it('leave out the image that never arrived', () => {
    const images = [lost('a', 10_000), lost('b', 20_000), lost('c', 30_000)];
    expect(matched(images, [job('3', 30), job('1', 10)])).toEqual({ a: '1', c: '3' });
  });

  it('leave no job over that an image may be, however close together they were', () => {
    const images = ['a', 'b', 'c', 'd'].map((intent, nth) => lost(intent, 10_000 + nth * 100));
    const jobs = [job('3', 10), job('2', 10), job('1', 10)];
    expect(Object.values(matched(images, jobs)).sort()).toEqual(['1', '2', '3']);
  });

  it('keep to the model, whatever name it was asked for by', () => {
    const images = [lost('a', 10_000, 'canvas:fast'), lost('b', 10_100, 'other')];
    expect(matched(images, [job('2', 10, 'vendor/other'), job('1', 10)])).toEqual({
      a: '1',
      b: '2',
    });
    expect(matched(images, [job('9', 10, 'vendor/third')])).toEqual({});
  });

  it('keep to the time, by the clock of the service', () => {
    const image = lost('a', 100_000);
    expect(matched([image], [job('early', 97)])).toEqual({});
    expect(matched([image], [job('late', 163)])).toEqual({});
    expect(matched([image], [job('1', 97)], -5000)).toEqual({ a: '1' });
    expect(matched([image], [job('1', 3700)], 3_600_000)).toEqual({ a: '1' });
  });

  it('take a job whose model or time is not told', () => {
    expect(matched([lost('a', 10_000)], [{ ...job('1'), model: undefined }])).toEqual({ a: '1' });
  });
});

describe('images that were asked for at the same time', () => {
  const groups = (images: readonly Lost[], jobs: readonly ImageJob[]) => {
    const listed = { jobs, aheadMs: 0 };
    return alike(images, listed, match(images, listed));
  };
  const of = (image: Lost, body: string): Lost => ({ ...image, body });

  it('are told apart by their model or their time, where they can be', () => {
    const images = [lost('a', 10_000), lost('b', 10_100, 'other'), lost('c', 90_000)];
    expect(groups(images, [job('3', 90), job('2', 10, 'other'), job('1', 10)])).toEqual([]);
    // The second was not there yet when the first was made.
    expect(groups([lost('a', 10_000), lost('b', 30_000)], [job('2', 30), job('1', 10)])).toEqual(
      [],
    );
  });

  it('are named together where they cannot be', () => {
    const images = ['a', 'b', 'c'].map((body) => of(lost(body, 10_000), body));
    const jobs = [job('3', 10), job('2', 10), job('1', 10)];
    expect(groups(images, jobs)).toEqual([['1', '2', '3']]);
    // One that is nobody's may be this image as well.
    expect(groups(images.slice(0, 1), jobs.slice(0, 2))).toEqual([['2', '3']]);
  });

  it('need not be told apart when the same was asked for', () => {
    const images = ['a', 'b'].map((intent) => of(lost(intent, 10_000), 'the same'));
    expect(groups(images, [job('2', 10), job('1', 10)])).toEqual([]);
  });
});

it('an image may be several jobs', () => {
  const jobs = [job('3', 200), job('2', 11), job('1', 10)];
  const found = candidates(lost('a', 10_000), { jobs, aheadMs: 0 });
  expect(found.map(({ id }) => id)).toEqual(['2', '1']);
});

it('a full list says nothing of an image that was sent before its oldest', () => {
  const listed = (created: number | undefined) => ({ jobs: [job('1', created)], aheadMs: 0 });
  expect(reachesBack(listed(50), lost('a', 10_000), 1)).toBe(false);
  expect(reachesBack(listed(undefined), lost('a', 10_000), 1)).toBe(false);
  expect(reachesBack(listed(5), lost('a', 10_000), 1)).toBe(true);
  expect(reachesBack(listed(50), lost('a', 10_000), 2)).toBe(true);
});
