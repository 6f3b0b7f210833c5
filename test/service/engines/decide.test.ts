import { describe, expect, it } from 'vitest';
import { decide, stateOf } from '../../../src/service/decisions.js';

const support = {
  billing: 'Charges, invoices, payments, refunds and money back',
  technical: 'Errors, crashes, bugs, the app or a page does not work or load',
  account: 'Login, password, email address, profile and account settings',
  delivery: 'Orders, parcels, shipping, couriers and delivery dates',
};

describe('decide', () => {
  it.each([
    ['I was charged twice this month and want a refund', 'billing'],
    ['The app crashes with an error when I open a page', 'technical'],
    ['I forgot my password and cannot change my email address', 'account'],
    ['My parcel has not come, where is the courier with my order?', 'delivery'],
  ])('finds what is right: %s', (text, right) => {
    const about = { type: 'choice' as const, instructions: '', criteria: support };
    expect(decide(stateOf(text), about)).toMatchObject({ choice: right });
  });

  const state = stateOf('My parcel is late. Where is the courier?');

  it('scores by the number of a level, which the legend names', () => {
    const levels = ['all is well', 'the parcel is late', 'the parcel is lost'];
    const answer = decide(state, { type: 'score', instructions: 'How bad?', criteria: levels });
    expect(answer).toMatchObject({
      score: 2,
      legend: { 1: levels[0], 2: levels[1], 3: levels[2] },
      confidence: expect.any(Number),
    });
    expect(Object.keys(answer).sort()).toEqual(['confidence', 'legend', 'probabilities', 'score']);
  });

  it('says of noul how likely a yes is, and nothing else', () => {
    const about = (instructions: string) => {
      const answer = decide(state, { type: 'noul', instructions });
      expect(Object.keys(answer)).toEqual(['noul']);
      return 'noul' in answer ? answer.noul : NaN;
    };
    expect(about('A parcel is late')).toBeGreaterThan(0.9);
    expect(about('The soup is too salty')).toBeLessThan(0.4);
  });

  it('is undecided where nothing speaks for any option', () => {
    const answer = decide(stateOf('zzz'), {
      type: 'choice',
      instructions: '',
      criteria: { same: 'the same', Same: 'the same' },
    });
    expect(answer).toMatchObject({ probabilities: { same: 0.5, Same: 0.5 }, confidence: 0.5 });
  });

  it('takes options whose names objects know otherwise', () => {
    const odd = Object.fromEntries([
      ['__proto__', 'nothing'],
      ['constructor', 'parcel courier'],
    ]);
    const answer = decide(state, { type: 'choice', instructions: '', criteria: odd });
    if (!('choice' in answer)) throw new Error('no choice');
    expect(answer.choice).toBe('constructor');
    expect(Object.keys(answer.probabilities)).toEqual(['__proto__', 'constructor']);
  });

  it('is sure of the only option', () => {
    const only = decide(state, { type: 'choice', instructions: '', criteria: { a: 'b' } });
    expect(only).toEqual({ choice: 'a', probabilities: { a: 1 }, confidence: 1 });
  });
});
