/**
 * Every enumeration of the service, once. Free of any import, so that declarations
 * (help, completions) and schemas read the same list at no cost. In a reply the lists are what
 * is known today: another value is passed on, never refused.
 */

/** Section 2.2. */
export const messageRoles = ['system', 'user', 'assistant', 'tool'] as const;
/** Section 1: the three wire formats of the chat endpoints. */
export const chatFormats = ['chat', 'messages', 'responses'] as const;
/** Sections 2.3 and 2.5; the supported subset depends on the model. */
export const reasoningEfforts = [
  'none',
  'minimal',
  'low',
  'medium',
  'high',
  'xhigh',
  'max',
] as const;
/** Section 2.5. */
export const reasoningSummaries = ['auto', 'concise', 'detailed'] as const;
/** Section 2.4. */
export const thinkingTypes = ['enabled', 'disabled'] as const;
/** Section 2.3: the words of tool_choice that are not a specific tool. */
export const toolChoices = ['auto', 'none', 'required'] as const;

/** Section 2.7; the first is the default. */
export const embeddingEncodings = ['float', 'base64'] as const;

/** Section 2.8. */
export const decisionTypes = ['choice', 'score', 'noul'] as const;

/** Section 2.9; the first is the default. */
export const searchRegions = ['ru', 'global'] as const;
/** Section 2.9; the first is the default. */
export const searchModes = ['turbo', 'base', 'pro'] as const;

/** Section 1: what the media endpoints make. */
export const mediaKinds = ['image', 'video', 'audio', 'music', '3d'] as const;
/** Section 2.11: provider and providerAlias. */
export const mediaProviders = ['pixel', 'flow', 'canvas', 'prime'] as const;
/** Sections 2.11 and 3.1. */
export const jobStatuses = ['submitting', 'processing', 'success', 'fail'] as const;
/** Section 3.1: what polling answers for a sandbox job. */
export const sandboxStages = ['submission_unknown', 'submission_not_started'] as const;
/** Section 4.3: x-svc-sandbox-outcome. */
export const sandboxOutcomes = ['submission_uncertain'] as const;
/** Section 4.3. */
export const extendTiers = ['lite', 'fast', 'quality'] as const;
/** Section 4.3: what a result file holds. */
export const resultTypes = ['image/*', 'video/*', 'audio/*', 'model/gltf-binary'] as const;

/** Section 2.12; a size that reduces to a ratio the model offers is accepted as well. */
export const imageSizes = [
  '1024x1024',
  '1792x1024',
  '1024x1792',
  '1536x1024',
  '1024x1536',
  'auto',
] as const;
/** Section 2.12; the first is the default. */
export const imageFormats = ['url', 'b64_json'] as const;
/** Sections 2.12 and 3.2. */
export const imageStatuses = ['succeeded', 'failed', 'in_progress'] as const;

/** Section 2.13. */
export const speechFormats = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const;

/** Section 2.14; extvoice is the external-engine value. */
export const voiceEngines = ['standard', 'premium', 'extvoice'] as const;
/** Sections 2.14 and 3.4. */
export const voiceStatuses = ['active', 'unpaid'] as const;
/** Section 2.14. */
export const feeCurrencies = ['RUB', 'USD'] as const;

/** Section 2.15: the categories of a legacy technical report. */
export const feedbackCategories = [
  'api_error',
  'performance',
  'incorrect_response',
  'integration',
  'feature_request',
  'other',
] as const;
/** Section 2.15. */
export const defaultTicketCategory = 'general';
/** Section 2.15. */
export const ticketCategories = [
  ...feedbackCategories,
  'billing',
  'account',
  defaultTicketCategory,
] as const;
/** Section 2.15. */
export const ticketSources = ['api', 'dashboard', 'technical-feedback'] as const;
/** Sections 2.15 and 3.3. */
export const ticketStatuses = ['open', 'replied', 'closed'] as const;
/** Section 2.15. */
export const ticketAuthors = ['client', 'staff'] as const;
/** Section 2.15. */
export const ticketImageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;

/** Section 2.11: values of supported_parameters. */
export const parameterSupport = ['supported', 'unconfirmed'] as const;

export type ChatFormat = (typeof chatFormats)[number];
