/** All rows, in the order of section 4. Loads all schemas; a command loads its own. */
import * as account from './account.js';
import * as audio from './audio.js';
import * as billing from './billing.js';
import * as chat from './chat.js';
import * as decisions from './decisions.js';
import * as embeddings from './embeddings.js';
import * as images from './images.js';
import * as media from './media.js';
import * as models from './models.js';
import * as search from './search.js';
import * as tickets from './tickets.js';
import * as voices from './voices.js';
import type { Endpoint } from './endpoint.js';

export const endpoints = [
  chat.createChatCompletion,
  chat.createMessage,
  chat.createResponse,
  chat.countTokens,
  models.listModels,
  models.getCapabilities,
  models.getPricing,
  embeddings.createEmbeddings,
  decisions.createDecisions,
  media.generateMedia,
  media.quotePublicPrice,
  media.quotePrice,
  media.getJob,
  media.getResultFile,
  media.getMediaCatalog,
  media.quoteExtendPrice,
  media.extendVideo,
  images.createImage,
  images.listImages,
  audio.createSpeech,
  audio.createTranscription,
  voices.listVoices,
  voices.createVoice,
  voices.deleteVoice,
  voices.addVoiceSamples,
  search.searchRegion,
  search.searchWeb,
  billing.getBalance,
  billing.listUsage,
  billing.getUsageRecord,
  tickets.createTicket,
  tickets.listTickets,
  tickets.getTicket,
  tickets.replyToTicket,
  tickets.closeTicket,
  tickets.getAttachment,
  tickets.createFeedback,
  tickets.getFeedback,
  models.getCatalog,
  models.listAllModels,
  models.getModel,
  billing.getUsageByKey,
  billing.getKeyUsage,
  account.listKeys,
  account.getWebhooks,
  account.setWebhooks,
  media.uploadFile,
  account.getOpenApi,
] as const satisfies readonly Endpoint[];

export type EndpointId = (typeof endpoints)[number]['id'];
