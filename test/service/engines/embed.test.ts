import { describe, expect, it } from 'vitest';
import { cosine, dimensions, embed } from '../../../src/service/engines/vectors.js';

const near = (a: string, b: string) => cosine(embed(a), embed(b));
const lengthOf = (vector: Float64Array) => Math.sqrt(cosine(vector, vector));

describe('embed', () => {
  it.each([
    [
      'How do I reset my password?',
      'I forgot my password, how can it be reset?',
      'The soup needs more salt and an onion.',
    ],
    [
      'The courier lost my parcel',
      'my parcel was lost by a courier',
      'the minister lost the elections',
    ],
    ['invoice for October', 'October invoices', 'a recipe for October pumpkins in butter'],
    ['Приложение не открывается', 'приложения не открываются', 'Курьер привёз посылку'],
    ['Где мой заказ?', 'Когда доставят мой заказ', 'Как приготовить борщ'],
    ['internationalization', 'internationalisation', 'international airports'],
    ['def main(): import os', 'import os; def main()', 'select name from users'],
  ])('puts %j nearer to %j than to %j', (text, similar, other) => {
    expect(near(text, similar)).toBeGreaterThan(near(text, other) + 0.2);
  });

  it('puts texts that share nothing at right angles, or nearly', () => {
    const texts = [
      'Apples grow on trees in every garden',
      'Parliament adopted seven laws yesterday',
      'Guitar strings should be tuned daily',
      'Волны бьются о скалистый берег',
      '北京今天下雨了',
    ];
    for (const [index, text] of texts.entries()) {
      for (const other of texts.slice(index + 1)) {
        expect(Math.abs(near(text, other)), `${text} / ${other}`).toBeLessThan(0.15);
      }
    }
  });

  it('has nothing to do with case, spaces and marks', () => {
    expect(near('Hello, World!', 'hello   world')).toBeCloseTo(1, 6);
    expect(near('ещё ёлка', 'еще елка')).toBeCloseTo(1, 6);
    expect(near('ＡＢＣ', 'abc')).toBeCloseTo(1, 6);
  });

  it('gives words that say little little weight', () => {
    expect(near('the cat is on the roof', 'cat roof')).toBeGreaterThan(0.6);
    expect(near('the cat is on the roof', 'the dog is on the lawn')).toBeLessThan(0.4);
  });

  it.each(['a', '!!! ???', '🦊', ' ', '\n', '\ud800', 'x'.repeat(100_000), '\u0301'])(
    'gives any text a vector of length 1 (case %#)',
    (text) => {
      const vector = embed(text);
      expect(vector).toHaveLength(dimensions);
      expect(lengthOf(vector)).toBeCloseTo(1, 5);
    },
  );

  it('gives the same vector as ever', () => {
    const vector = Array.from(embed('hello'));
    const places = vector.flatMap((value, place) => (value === 0 ? [] : [place]));
    expect(places).toEqual([54, 94, 107, 110, 167, 205, 290, 400, 463, 472, 473, 484, 487]);
    expect(vector[110]).toBe(-0.6362848);
    expect(vector[400]).toBe(0.2226997);
  });
});
