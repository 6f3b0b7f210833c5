import { describe, expect, it } from 'vitest';
import {
  calibration,
  decide,
  likelihood,
  nearness,
  softmax,
  stateOf,
} from '../../../../src/service/decisions.js';
import { choiceExamples, noulExamples, scoreExamples } from './examples.js';

interface Case {
  readonly near: readonly number[];
  /** Which of them is right. */
  readonly right: number;
}

const choices: Case[] = choiceExamples.map(({ state, criteria, right }) => ({
  near: Object.entries(criteria).map(([name, description]) =>
    nearness(stateOf(state), `${name}: ${description}`),
  ),
  right: Object.keys(criteria).indexOf(right),
}));
const scores: Case[] = scoreExamples.map(({ state, levels, right }) => ({
  near: levels.map((level) => nearness(stateOf(state), level)),
  right: right - 1,
}));
const nouls = noulExamples.map(({ state, instructions, right }) => ({
  near: nearness(stateOf(state), instructions),
  right,
}));

/** How surprised the probabilities are by what is right, on average; lower is better. */
function surprise(cases: readonly Case[], temperature: number): number {
  const sum = cases.reduce(
    (all, { near, right }) =>
      all - Math.log(Math.max(1e-9, softmax(near, temperature)[right] ?? 0)),
    0,
  );
  return sum / cases.length;
}

function noulSurprise(temperature: number, middle: number): number {
  const sum = nouls.reduce((all, { near, right }) => {
    const yes = 1 / (1 + Math.exp((middle - near) / temperature));
    return all - Math.log(right ? yes : 1 - yes);
  }, 0);
  return sum / nouls.length;
}

interface Bet {
  readonly confidence: number;
  readonly isRight: boolean;
}

/** How far confidence is from how often it is right, over fifths of the range. */
function miscalibration(bets: readonly Bet[]): number {
  const fifths = [0, 1, 2, 3, 4].map((fifth) =>
    bets.filter(({ confidence }) => Math.min(4, Math.floor(confidence * 5)) === fifth),
  );
  return fifths.reduce((sum, group) => {
    const confidence = group.reduce((all, bet) => all + bet.confidence, 0);
    const right = group.filter(({ isRight }) => isRight).length;
    return sum + Math.abs(confidence - right) / bets.length;
  }, 0);
}

function bets(cases: readonly Case[], temperature: number): Bet[] {
  return cases.map(({ near, right }) => {
    const probabilities = softmax(near, temperature);
    const confidence = Math.max(...probabilities);
    return { confidence, isRight: probabilities[right] === confidence };
  });
}

describe('the calibration', () => {
  it.each([
    ['choice', choices, calibration.choice.temperature],
    ['score', scores, calibration.score.temperature],
  ] as const)('of %s fits the examples better than any other', (_, cases, temperature) => {
    const own = surprise(cases, temperature);
    for (const other of [0.2, 0.5, 0.75, 1.35, 2, 5]) {
      expect(surprise(cases, temperature * other), String(other)).toBeGreaterThan(own);
    }
  });

  it('of noul fits the examples better than any other', () => {
    const { temperature, middle } = calibration.noul;
    const own = noulSurprise(temperature, middle);
    for (const other of [0.2, 0.5, 0.7, 1.4, 2, 5]) {
      expect(noulSurprise(temperature * other, middle)).toBeGreaterThan(own);
    }
    for (const aside of [-0.1, -0.04, 0.04, 0.1]) {
      expect(noulSurprise(temperature, middle + aside)).toBeGreaterThan(own);
    }
  });

  it('makes confidence what it says: of 70 in 100 sure, about 70 are right', () => {
    expect(miscalibration(bets(choices, calibration.choice.temperature))).toBeLessThan(0.15);
    expect(miscalibration(bets(scores, calibration.score.temperature))).toBeLessThan(0.2);
    const yeses = nouls.map(({ near, right }) => ({
      confidence: likelihood(near),
      isRight: right,
    }));
    expect(miscalibration(yeses)).toBeLessThan(0.2);
    // The measure can tell: a decider that is always sure, or never, is far off.
    expect(miscalibration(bets(scores, 0.001))).toBeGreaterThan(0.19);
    expect(miscalibration(bets(choices, 10))).toBeGreaterThan(0.4);
  });

  it('finds most of what is right, far more than chance', () => {
    const rate = (cases: readonly Bet[]) =>
      cases.filter(({ isRight }) => isRight).length / cases.length;
    expect(rate(bets(choices, 0.05))).toBeGreaterThan(0.8);
    expect(rate(bets(scores, 0.05))).toBeGreaterThan(0.7);
    expect(
      nouls.filter(({ near, right }) => likelihood(near) > 0.5 === right).length / nouls.length,
    ).toBeGreaterThan(0.8);
  });
});

describe('decide', () => {
  const state = stateOf('My parcel is late. Where is the courier?');
  const criteria = { billing: 'money and invoices', delivery: 'parcels and couriers' };

  it('chooses, with a probability for every option', () => {
    const answer = decide(state, { type: 'choice', instructions: 'What is it about?', criteria });
    expect(answer).toMatchObject({ choice: 'delivery' });
    if (!('choice' in answer)) throw new Error('no choice');
    expect(Object.keys(answer).sort()).toEqual(['choice', 'confidence', 'probabilities']);
    expect(Object.keys(answer.probabilities)).toEqual(['billing', 'delivery']);
    expect(answer.confidence).toBe(answer.probabilities['delivery']);
    expect(answer.confidence).toBeGreaterThan(0.8);
  });

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

describe('softmax', () => {
  it.each([3, 7, 20, 333])('sums to 1 with %d options', (count) => {
    const values = Array.from({ length: count }, (_, i) => Math.sin(i) / 3);
    const sum = softmax(values, 0.05).reduce((a, b) => a + b, 0);
    expect(sum).toBeCloseTo(1, 9);
  });
});
