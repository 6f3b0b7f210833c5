import { recordOf } from '../../../src/lib/json.js';
import { fakeService, json, type Answer } from '../../helpers/fake-service.js';
import { run, type RunOptions } from '../../helpers/run.js';

export const reply = {
  object: 'decisions',
  model: 'vendor/decide',
  answers: {
    team: { choice: 'billing', probabilities: { tech: 0.08, billing: 0.92 }, confidence: 0.92 },
    mood: {
      score: 2,
      legend: { '1': 'calm', '2': 'annoyed', '3': 'furious' },
      probabilities: { '1': 0.1, '2': 0.65, '3': 0.25 },
      confidence: 0.65,
    },
    spam: { noul: 0.07 },
  },
  usage: { input_tokens: 120, output_tokens: 9 },
};

/** The flags that ask these questions. */
export const asking = [
  ...['--choice', 'team=Who should answer?'],
  ...['--option', 'team:billing=payments', '--option', 'team:tech=errors'],
  ...['--score', 'mood=How does the writer feel?'],
  ...['--level', 'mood=calm', '--level', 'mood=annoyed', '--level', 'mood=furious'],
  ...['--noul', 'spam=Is it spam?'],
];

export const questions = {
  team: {
    type: 'choice',
    instructions: 'Who should answer?',
    criteria: { billing: 'payments', tech: 'errors' },
  },
  mood: {
    type: 'score',
    instructions: 'How does the writer feel?',
    criteria: ['calm', 'annoyed', 'furious'],
  },
  spam: { type: 'noul', instructions: 'Is it spam?' },
};

const deciding: Answer = (request, response) => {
  const { url } = request;
  if (url === '/v1/balance') json({ balance_rub: 12.5 })(request, response);
  else if (url.startsWith('/v1/generations/')) json({ priceRub: 0.02 })(request, response);
  else if (url === '/v1/models') json({ data: [] })(request, response);
  else if (url === '/v1/pricing') json({ data: [{ id: 'vendor/decide' }] })(request, response);
  else json(reply, 200, { 'x-svc-generation-id': 'gen_1' })(request, response);
};

/** Runs `svc decide` with a service that decides so; each call costs 0.02 RUB. */
export async function decided(
  words: readonly string[],
  options: RunOptions = {},
  answer: Answer = deciding,
) {
  const service = await fakeService(answer);
  const env = { ...service.env, NO_COLOR: '1', ...options.env };
  const result = await run(['decide', ...words], { ...options, env });
  const sent = service.requests
    .filter(({ method }) => method === 'POST')
    .map(({ body }) => recordOf(JSON.parse(body)));
  return { ...result, sent, requests: service.requests };
}
