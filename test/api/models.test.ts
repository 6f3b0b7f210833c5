import { expect, it } from 'vitest';
import { isModelName, modelNames } from '../../src/api/models.js';
import type { HttpRequest } from '../../src/http/types.js';
import { scripted } from '../helpers/scripted-transport.js';
import { clientOver } from './client.js';

/** A service with these two lists; a number is the status it answers with instead. */
function client(models: unknown, pricing: unknown) {
  const answer = (request: HttpRequest) => {
    const body = request.url.pathname.endsWith('/v1/models') ? models : pricing;
    const status = typeof body === 'number' ? body : 200;
    return scripted({ status, body: JSON.stringify(body) }).transport(request);
  };
  return clientOver([answer]);
}
const list = { data: [{ id: 'a/chat' }] };

it.each([
  [[{ id: 'a/embed' }, { id: 'a/embed:cheap' }, { model: 'b/decide' }, 7, {}]],
  [{ 'a/embed': { input: 1 }, 'b/decide': {} }],
])('the names are those of the models and of the prices: %j', async (data) => {
  expect(await modelNames(client(list, { data }))).toEqual(['a/chat', 'a/embed', 'b/decide']);
});

it.each([
  [list, { data: [] }],
  [list, {}],
  [list, 404],
  [list, 500],
])('%j and %j do not tell all of them', async (models, pricing) => {
  expect(await modelNames(client(models, pricing))).toBeUndefined();
});

it('the prices are enough', async () => {
  expect(await modelNames(client(404, { data: [{ id: 'a/embed' }] }))).toEqual(['a/embed']);
});

it('trouble with the key is trouble', async () => {
  await expect(modelNames(client(list, 401))).rejects.toMatchObject({ status: 401 });
});

it.each([
  ['a/embed', true],
  ['embed', true],
  ['embed:cheap', true],
  ['a/embed:cheap', true],
  ['b/embed', false],
  ['a/em', false],
  ['a', false],
])('%s is the name of a/embed: %s', (name, isOne) => {
  expect(isModelName(name, ['c/chat', 'a/embed'])).toBe(isOne);
});
