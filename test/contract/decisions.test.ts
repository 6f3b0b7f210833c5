import { DecisionRequest } from '../../src/contract/decisions.js';
import { numbered, requests } from './requests.js';

const noul = { type: 'noul', instructions: 'Is it so?' };
const questions = (count: number) =>
  Object.fromEntries(numbered(count).map((name) => [name, noul]));
const question = (fields: object) => ({
  questions: { one: { instructions: 'Which?', ...fields } },
});

requests({
  decisions: {
    schema: DecisionRequest,
    base: { state: 'it rains', questions: questions(1) },
    accepted: [
      { model: 'vendor/model' },
      { state: { rain: true } },
      { state: ['rain'] },
      { questions: questions(20) },
      question({ type: 'choice', criteria: { stay: 'at home' } }),
      question({ type: 'score', criteria: ['low', 'high'] }),
    ],
    refused: [
      { extra: 1 },
      { state: undefined },
      { state: 3 },
      { questions: undefined },
      { questions: {} },
      { questions: questions(21) },
      { questions: { one: { ...noul, extra: 1 } } },
      { questions: { one: { type: 'noul' } } },
      question({ type: 'guess' }),
      question({ type: 'choice' }),
      question({ type: 'choice', criteria: ['stay'] }),
      question({ type: 'choice', criteria: { stay: 3 } }),
      question({ type: 'score' }),
      question({ type: 'score', criteria: { low: 'little' } }),
      question({ type: 'noul', criteria: ['low'] }),
    ],
  },
});
