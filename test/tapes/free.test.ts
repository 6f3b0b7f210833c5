/** What a tape answers costs nothing, under a ceiling too. */
import { expect, it } from 'vitest';
import { call } from '../../src/api/call.js';
import type { Client, Reservation } from '../../src/api/client.js';
import { createChatCompletion } from '../../src/contract/chat.js';
import { clientOver, json } from '../api/client.js';
import { question } from '../api/rows.js';

const reply = {
  id: 'a',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
};

/** A client that says how each reservation has ended. */
function spendingClient(isReplayed: boolean, body: unknown) {
  const ended: unknown[] = [];
  const reservation: Reservation = {
    answered: () => void ended.push('answered'),
    failed: (isFree) => void ended.push({ isFree }),
  };
  const plain = clientOver([json(body)]);
  const client: Client = {
    ...plain,
    transport: async (request) => ({ ...(await plain.transport(request)), isReplayed }),
    spending: {
      reserve: () => Promise.resolve(reservation),
      agree: () => Promise.resolve(),
      fit: () => Promise.resolve(undefined),
      expectMore: () => undefined,
      spendableRub: () => Promise.resolve(1),
      settle: () => undefined,
    },
  };
  return { client, ended };
}

it.each([
  [true, { isFree: true }],
  [false, 'answered'],
])('an answer that was played (%j) ends its reservation', async (isReplayed, end) => {
  const { client, ended } = spendingClient(isReplayed, reply);
  await call(client, createChatCompletion, { body: question });
  expect(ended).toEqual([end]);
});

it.each([true, false])('an unusable answer is free where it was played: %j', async (isReplayed) => {
  const { client, ended } = spendingClient(isReplayed, ['no reply']);
  await expect(call(client, createChatCompletion, { body: question })).rejects.toThrow();
  expect(ended).toEqual([{ isFree: isReplayed }]);
});
