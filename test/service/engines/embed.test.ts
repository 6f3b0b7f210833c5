import { expect, it } from 'vitest';
import { cosine, dimensions, embed } from '../../../src/service/engines/vectors.js';

const near = (a: string, b: string) => cosine(embed(a), embed(b));
const lengthOf = (vector: Float64Array) => Math.sqrt(cosine(vector, vector));

it.each([
  [
    'How do I reset my password?',
    'I forgot my password, how can it be reset?',
    'The soup needs more salt and an onion.',
  ],
  ['Приложение не открывается', 'приложения не открываются', 'Курьер привёз посылку'],
  ['Где мой заказ?', 'Когда доставят мой заказ', 'Как приготовить борщ'],
])('embed puts %j nearer to %j than to %j', (text, similar, other) => {
  expect(near(text, similar)).toBeGreaterThan(near(text, other) + 0.2);
});

it('embed ignores case, spaces and punctuation', () => {
  expect(near('Hello, World!', 'hello   world')).toBeCloseTo(1, 6);
  expect(near('ещё ёлка', 'еще елка')).toBeCloseTo(1, 6);
  expect(near('ＡＢＣ', 'abc')).toBeCloseTo(1, 6);
});

it.each(['a', '!!! ???', '🦊', ' ', '\n', '\ud800', 'x'.repeat(100_000), '\u0301'])(
  'embed gives any text a vector of length 1 (case %#)',
  (text) => {
    const vector = embed(text);
    expect(vector).toHaveLength(dimensions);
    expect(lengthOf(vector)).toBeCloseTo(1, 5);
  },
);

it('embed always gives the same vector', () => {
  const vector = Array.from(embed('hello'));
  const places = vector.flatMap((value, place) => (value === 0 ? [] : [place]));
  expect(places).toEqual([54, 94, 107, 110, 167, 205, 290, 400, 463, 472, 473, 484, 487]);
  expect(vector[110]).toBe(-0.6362848);
  expect(vector[400]).toBe(0.2226997);
});
