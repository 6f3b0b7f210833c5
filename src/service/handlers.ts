/** One handler per row. A missing one is a type error. */
import type { EndpointId } from '../contract/index.js';
import * as billing from './billing.js';
import type { Handler } from './call.js';
import * as models from './models.js';

/** Modules load with their first call: a balance should not wait for chat. */
function lazily<Module>(load: () => Promise<Module>) {
  let loading: Promise<Module> | undefined;
  return (pick: (module: Module) => Handler): Handler =>
    async (call) => {
      loading ??= load();
      return pick(await loading)(call);
    };
}

const audio = lazily(() => import('./audio.js'));
const chat = lazily(() => import('./chat.js'));
const decisions = lazily(() => import('./decisions.js'));
const embeddings = lazily(() => import('./embeddings.js'));
const feedback = lazily(() => import('./feedback.js'));
const generate = lazily(() => import('./media/generate.js'));
const images = lazily(() => import('./images.js'));
const mediaModels = lazily(() => import('./media/models.js'));
const results = lazily(() => import('./media/results.js'));
const search = lazily(() => import('./search.js'));
const sources = lazily(() => import('./media/sources.js'));
const tickets = lazily(() => import('./tickets.js'));
const voices = lazily(() => import('./voices.js'));
const webhooks = lazily(() => import('./webhooks.js'));

export const handlers: Record<EndpointId, Handler> = {
  'chat.create': chat((it) => it.answerChat),
  'chat.messages': chat((it) => it.answerMessages),
  'chat.responses': chat((it) => it.answerResponses),
  'chat.countTokens': chat((it) => it.estimateTokens),
  'embeddings.create': embeddings((it) => it.create),
  'decisions.create': decisions((it) => it.create),
  'search.web': search((it) => it.web),
  'search.region': search((it) => it.region),
  'models.list': models.list,
  'models.all': models.listAll,
  'models.get': models.show,
  'models.pricing': models.pricing,
  'models.catalog': models.catalog,
  'models.capabilities': mediaModels((it) => it.capabilities),
  'media.generate': generate((it) => it.generate),
  'media.publicPrice': generate((it) => it.publicPrice),
  'media.price': generate((it) => it.price),
  'media.job': results((it) => it.showJob),
  'media.file': results((it) => it.resultFile),
  'media.catalog': mediaModels((it) => it.catalog),
  'media.extendPrice': generate((it) => it.extendPrice),
  'media.extend': generate((it) => it.extend),
  'images.create': images((it) => it.create),
  'images.list': images((it) => it.list),
  'audio.speech': audio((it) => it.speech),
  'audio.transcription': audio((it) => it.transcription),
  'voices.list': voices((it) => it.list),
  'voices.create': voices((it) => it.create),
  'voices.delete': voices((it) => it.remove),
  'voices.addSamples': voices((it) => it.addSamples),
  'files.upload': sources((it) => it.upload),
  'keys.list': billing.keys,
  'webhooks.get': webhooks((it) => it.show),
  'webhooks.set': webhooks((it) => it.change),
  'billing.balance': billing.balance,
  'billing.history': billing.history,
  'billing.record': billing.show,
  'billing.keyUsage': billing.keyUsage,
  'billing.usageByKey': billing.byKey,
  'tickets.create': tickets((it) => it.create),
  'tickets.list': tickets((it) => it.list),
  'tickets.get': tickets((it) => it.get),
  'tickets.reply': tickets((it) => it.reply),
  'tickets.close': tickets((it) => it.close),
  'tickets.attachment': tickets((it) => it.attachment),
  'feedback.create': feedback((it) => it.create),
  'feedback.get': tickets((it) => it.get),
  'openapi.get': models.openApi,
};
