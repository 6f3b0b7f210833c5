import { expect, it } from 'vitest';
import { isModelName, isModelThere, modelNames } from '../../src/api/models.js';
import type { HttpRequest } from '../../src/http/types.js';
import { scripted } from '../helpers/scripted-transport.js';
import { clientOver, json } from './client.js';

/** A service with these two lists; a number is the status that it answers with instead. */
function client(models: unknown, pricing: unknown) {
  const answer = (request: HttpRequest) => {
    const body = request.url.pathname.endsWith('/v1/models') ? models : pricing;
    return scripted(json(body, typeof body === 'number' ? body : 200)).transport(request);
  };
  return clientOver([answer]);
}
const list = { data: [{ id: 'a/chat' }] };

it.each([
  [[{ id: 'a/embed' }, { id: 'a/embed:cheap' }, { model: 'b/decide' }, {}]],
  [{ 'a/embed': { input: 1 }, 'b/decide': {} }],
  [{ models: [{ id: 'a/embed' }, { publicId: 'b/decide' }] }],
])('the names are those of the models and of the prices: %j', async (data) => {
  expect(await modelNames(client(list, { data }))).toEqual(['a/chat', 'a/embed', 'b/decide']);
});

it.each([
  [list, { data: [] }],
  [list, { data: [{ id: 'a/embed' }, 7] }],
  [list, { data: { models: [], note: 'none' } }],
  [list, 404],
  [list, 500],
])('%j and %j do not list all of them', async (models, pricing) => {
  expect(await modelNames(client(models, pricing))).toBeUndefined();
});

it('prices with types, but not the requested one, do not list all of them', async () => {
  const text = { id: 'a/text', type: 'text' };
  const embedding = { id: 'a/embed', type: 'Embeddings' };
  const ask = (data: unknown) => modelNames(client(list, { data }), 'embedding');
  expect(await ask([text])).toBeUndefined();
  expect(await ask({ 'a/text': text })).toBeUndefined();
  expect(await ask([text, embedding])).toEqual(['a/chat', 'a/text', 'a/embed']);
  expect(await ask([{ id: 'a/text' }])).toEqual(['a/chat', 'a/text']);
});

it.each([
  [200, { id: 'a/new', object: 'model' }, true],
  [200, { data: { id: 'a/new:fast' } }, true],
  [200, { id: 'a/other' }, false],
  [200, ['a/new'], false],
  [404, {}, false],
  [500, {}, false],
])('%i with %j for a single model: it exists is %s', async (status, body, isThere) => {
  expect(await isModelThere(clientOver([json(body, status)]), 'a/new')).toBe(isThere);
});

it('a problem with the key is an error', async () => {
  await expect(modelNames(client(list, 401))).rejects.toMatchObject({ status: 401 });
});

it.each([
  ['a/embed', true],
  ['embed', true],
  ['embed:cheap', true],
  ['a/embed:cheap', true],
  ['b/embed', false],
])('%s is the name of a/embed: %s', (name, isOne) => {
  expect(isModelName(name, ['c/chat', 'a/embed'])).toBe(isOne);
});
