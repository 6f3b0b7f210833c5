/** A log with a conversation of two turns, and one named tax. */
import { Log, type NewTurn } from '../../../src/state/log.js';
import { pathsFrom } from '../../../src/state/paths.js';
import { accountOf } from '../../../src/state/account.js';
import { fakeKey } from '../../helpers/fake-service.js';
import { testFolder } from '../../helpers/folder.js';
import { PollingClock } from '../../helpers/manual-clock.js';

export const nowMs = Date.UTC(2026, 10, 4, 12);
export const clock = new PollingClock({ now: nowMs });
const minuteMs = 60_000;

export const message = (role: 'user' | 'assistant', text: string) => {
  return { role, parts: [{ type: 'text', text }] };
};

export function turn(question: string, answer: string, more: Partial<NewTurn> = {}): NewTurn {
  return {
    account: { service: 'https://x.test', keyHash: 'k' },
    parent: null,
    atMs: nowMs - 5 * minuteMs,
    model: 'vendor/one',
    format: 'chat',
    request: { system: 'Be brief.', stream: true, temperature: 0.5 },
    asked: [message('user', question)],
    answered: message('assistant', answer),
    question,
    answer,
    generationId: 'gen-1',
    priceRub: 0.5,
    inputTokens: 1000,
    outputTokens: 200,
    ms: 1234,
    finishReason: 'stop',
    isComplete: true,
    ...more,
  };
}

/** @param origin of the service whose turns lack their prices */
export function scene(origin = 'https://x.test') {
  const home = testFolder();
  const log = new Log(pathsFrom({ SVC_CONFIG_DIR: home }));
  const { service, keyHash } = accountOf('default', origin, fakeKey);
  const first = log.add(turn('How is tea made?', '**Hot** water\n'));
  const unpriced = { account: { service, keyHash }, priceRub: null, generationId: 'gen-2' };
  const second = log.add(
    turn('And\nmilk?', 'After\u001b[31m it.', {
      conversation: first.conversation,
      parent: first.id,
      atMs: nowMs - 2 * minuteMs,
      ...unpriced,
    }),
  );
  const third = log.add(
    turn('What is the tax on tea?', 'Ten percent.', {
      name: 'tax',
      model: 'vendor/two',
      atMs: nowMs - minuteMs,
    }),
  );
  return { home, log, first, second, third };
}
