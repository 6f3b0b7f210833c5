/** One handler per row. A row without one is a type error. */
import type { EndpointId } from '../contract/index.js';
import * as billing from './billing.js';
import type { Handler } from './call.js';
import * as models from './models.js';

const handlers: Record<EndpointId, Handler> = {
  // The formats and their schemas are loaded with the first chat: a balance should not wait for them.
  'chat.create': async (call) => (await import('./chat.js')).answerChat(call),
  'chat.messages': async (call) => (await import('./chat.js')).answerMessages(call),
  'chat.responses': async (call) => (await import('./chat.js')).answerResponses(call),
  'chat.countTokens': async (call) => (await import('./chat.js')).estimateTokens(call),
  'embeddings.create': async (call) => (await import('./embeddings.js')).create(call),
  'decisions.create': async (call) => (await import('./decisions.js')).create(call),
  'search.web': async (call) => (await import('./search.js')).web(call),
  'search.region': async (call) => (await import('./search.js')).region(call),
  'models.list': models.list,
  'models.all': models.listAll,
  'models.get': models.show,
  'models.pricing': models.pricing,
  'models.catalog': models.catalog,
  'models.capabilities': async (call) => (await import('./media/models.js')).capabilities(call),
  // Media is loaded with the first call that needs it, like chat.
  'media.generate': async (call) => (await import('./media/generate.js')).generate(call),
  'media.publicPrice': async (call) => (await import('./media/generate.js')).publicPrice(call),
  'media.price': async (call) => (await import('./media/generate.js')).price(call),
  'media.job': async (call) => (await import('./media/results.js')).showJob(call),
  'media.file': async (call) => (await import('./media/results.js')).resultFile(call),
  'media.catalog': async (call) => (await import('./media/models.js')).catalog(call),
  'media.extendPrice': async (call) => (await import('./media/generate.js')).extendPrice(call),
  'media.extend': async (call) => (await import('./media/generate.js')).extend(call),
  'images.create': async (call) => (await import('./images.js')).create(call),
  'images.list': async (call) => (await import('./images.js')).list(call),
  'audio.speech': async (call) => (await import('./audio.js')).speech(call),
  'audio.transcription': async (call) => (await import('./audio.js')).transcription(call),
  'voices.list': async (call) => (await import('./voices.js')).list(call),
  'voices.create': async (call) => (await import('./voices.js')).create(call),
  'voices.delete': async (call) => (await import('./voices.js')).remove(call),
  'voices.addSamples': async (call) => (await import('./voices.js')).addSamples(call),
  'files.upload': async (call) => (await import('./media/sources.js')).upload(call),
  'keys.list': billing.keys,
  'webhooks.get': async (call) => (await import('./webhooks.js')).show(call),
  'webhooks.set': async (call) => (await import('./webhooks.js')).change(call),
  'billing.balance': billing.balance,
  'billing.history': billing.history,
  'billing.record': billing.show,
  'billing.keyUsage': billing.keyUsage,
  'billing.usageByKey': billing.byKey,
  'tickets.create': async (call) => (await import('./tickets.js')).create(call),
  'tickets.list': async (call) => (await import('./tickets.js')).list(call),
  'tickets.get': async (call) => (await import('./tickets.js')).get(call),
  'tickets.reply': async (call) => (await import('./tickets.js')).reply(call),
  'tickets.close': async (call) => (await import('./tickets.js')).close(call),
  'tickets.attachment': async (call) => (await import('./tickets.js')).attachment(call),
  'feedback.create': async (call) => (await import('./feedback.js')).create(call),
  'feedback.get': async (call) => (await import('./tickets.js')).get(call),
  'openapi.get': models.openApi,
};

const byId: ReadonlyMap<string, Handler> = new Map(Object.entries(handlers));

export function handlerOf(id: string): Handler {
  const handler = byId.get(id);
  if (!handler) throw new Error(`no handler serves ${id}`);
  return handler;
}
