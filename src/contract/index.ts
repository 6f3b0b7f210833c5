/**
 * Every row, in the order of section 4. It loads every schema: only what needs them all imports
 * it (the embedded service, the description, tests); a command imports the file of its domain.
 */
import { createSpeech, createTranscription } from './audio.js';
import { getBalance, getKeyUsage, getUsageByKey, getUsageRecord, listUsage } from './billing.js';
import { countTokens, createChatCompletion, createMessage, createResponse } from './chat.js';
import { createDecisions } from './decisions.js';
import { createEmbeddings } from './embeddings.js';
import type { Endpoint } from './endpoint.js';
import {
  createFeedback,
  getFeedback,
  closeTicket,
  createTicket,
  getAttachment,
  getTicket,
  listTickets,
  replyToTicket,
} from './tickets.js';
import {
  uploadFile,
  extendVideo,
  quoteExtendPrice,
  generateMedia,
  getJob,
  getMediaCatalog,
  getResultFile,
  quotePrice,
  quotePublicPrice,
} from './media.js';
import { createImage, listImages } from './images.js';
import { listKeys, getOpenApi, getWebhooks, setWebhooks } from './account.js';
import {
  getCapabilities,
  getCatalog,
  getModel,
  getPricing,
  listAllModels,
  listModels,
} from './models.js';
import { searchRegion, searchWeb } from './search.js';
import { addVoiceSamples, createVoice, deleteVoice, listVoices } from './voices.js';

export const endpoints = [
  createChatCompletion,
  createMessage,
  createResponse,
  countTokens,
  listModels,
  getCapabilities,
  getPricing,
  createEmbeddings,
  createDecisions,
  generateMedia,
  quotePublicPrice,
  quotePrice,
  getJob,
  getResultFile,
  getMediaCatalog,
  quoteExtendPrice,
  extendVideo,
  createImage,
  listImages,
  createSpeech,
  createTranscription,
  listVoices,
  createVoice,
  deleteVoice,
  addVoiceSamples,
  searchRegion,
  searchWeb,
  getBalance,
  listUsage,
  getUsageRecord,
  createTicket,
  listTickets,
  getTicket,
  replyToTicket,
  closeTicket,
  getAttachment,
  createFeedback,
  getFeedback,
  getCatalog,
  listAllModels,
  getModel,
  getUsageByKey,
  getKeyUsage,
  listKeys,
  getWebhooks,
  setWebhooks,
  uploadFile,
  getOpenApi,
] as const satisfies readonly Endpoint[];

/** The id of any row, so that a table by id lacks none: `Record<EndpointId, Handler>`. */
export type EndpointId = (typeof endpoints)[number]['id'];

const byId: ReadonlyMap<string, Endpoint> = new Map(endpoints.map((row) => [row.id, row]));

/** Finds a row by its id, such as `chat.create`. */
export function endpointById(id: string): Endpoint | undefined {
  return byId.get(id);
}
