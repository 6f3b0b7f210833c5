import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { formOf, get, openService, post } from './helpers.js';

const Refusal = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

const service = () => openService();
const asked = {
  chat: (model: string) =>
    post(service(), '/v1/chat/completions', { model, messages: [{ role: 'user', content: 'x' }] }),
  messages: (model: string) =>
    post(service(), '/v1/messages', {
      model,
      max_tokens: 5,
      messages: [{ role: 'user', content: 'x' }],
    }),
  count: (model: string) =>
    post(service(), '/v1/messages/count_tokens', {
      model,
      messages: [{ role: 'user', content: 'x' }],
    }),
  responses: (model: string) => post(service(), '/v1/responses', { model, input: 'x' }),
  embeddings: (model: string) => post(service(), '/v1/embeddings', { model, input: 'x' }),
  decisions: (model: string) =>
    post(service(), '/v1/decisions', {
      model,
      state: 'x',
      questions: { a: { type: 'noul', instructions: 'x' } },
    }),
  images: (model: string) => post(service(), '/v1/images/generations', { model, prompt: 'x' }),
  speech: (model: string) => post(service(), '/v1/audio/speech', { model, input: 'x' }),
  transcription: (model: string) =>
    post(service(), '/v1/audio/transcriptions', formOf({ model, file: new Blob(['RIFF']) })),
};

const models = ['local/echo', 'local/embed', 'local/decide', 'local/canvas', 'local/voice', 'reel'];
const own: Readonly<Record<keyof typeof asked, string>> = {
  chat: 'local/echo',
  messages: 'local/echo',
  count: 'local/echo',
  responses: 'local/echo',
  embeddings: 'local/embed',
  decisions: 'local/decide',
  images: 'local/canvas',
  speech: 'local/voice',
  transcription: '',
};

it.each(Object.entries(asked))(
  'a model asked for what it does not do is a 400 that says where it is reached: %s',
  async (name, ask) => {
    const others = models.filter(
      (model) => !Object.entries(own).some(([key, id]) => key === name && id === model),
    );
    for (const model of others.flatMap((id) => [id, `${id}:standard`])) {
      const response = await ask(model);
      expect([model, response.status]).toEqual([model, 400]);
      const { code, message } = Refusal.parse(await response.json()).error;
      expect(code).toMatch(/^model_(not_supported|not_image|unsuitable)$/);
      expect(message).toContain(model.replace(/:.*/, ''));
    }
  },
);

it.each(Object.entries(asked))(
  'a model asked for what it does not do is unknown where there is none of that name: %s',
  async (name, ask) => {
    for (const model of ['nobody', 'canvas:gold', 'echo:gold']) {
      expect((await ask(model)).status).toBe(name === 'decisions' ? 400 : 404);
    }
  },
);

it.each(['local/nobody', 'local/', '/echo', 'local/echo/', 'a/b/c', 'all/x', 'local/%zz'])(
  'GET /v1/models/{id} has none at %s',
  async (path) => {
    expect((await get(openService(), `/v1/models/${path}`)).status).toBe(404);
  },
);
