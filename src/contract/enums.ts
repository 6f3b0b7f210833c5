/** Every enumeration, without imports, so that declarations load it at no cost. */

// Sections 1 to 2.5; the supported subset of the efforts depends on the model.
export const chatFormats = ['chat', 'messages', 'responses'] as const;
export type ChatFormat = (typeof chatFormats)[number];
export const messageRoles = ['system', 'user', 'assistant', 'tool'] as const;
export const reasoningEfforts = [
  'none',
  'minimal',
  'low',
  'medium',
  'high',
  'xhigh',
  'max',
] as const;
export const reasoningSummaries = ['auto', 'concise', 'detailed'] as const;
export const thinkingTypes = ['enabled', 'disabled'] as const;
/** The words of tool_choice other than a specific tool. */
export const toolChoices = ['auto', 'none', 'required'] as const;

// Sections 2.7 to 2.9; the first is the default, except of the decisions.
export const embeddingEncodings = ['float', 'base64'] as const;
export const decisionTypes = ['choice', 'score', 'noul'] as const;
export const searchRegions = ['ru', 'global'] as const;
export const searchModes = ['turbo', 'base', 'pro'] as const;

// Sections 2.11, 3.1 and 4.3
export const mediaKinds = ['image', 'video', 'audio', 'music', '3d'] as const;
export const mediaProviders = ['pixel', 'flow', 'canvas', 'prime'] as const;
export const jobStatuses = ['submitting', 'processing', 'success', 'fail'] as const;
/** What polling answers for a sandbox job. */
export const sandboxStages = ['submission_unknown', 'submission_not_started'] as const;
export const sandboxOutcomes = ['submission_uncertain'] as const;
export const extendTiers = ['lite', 'fast', 'quality'] as const;
export const resultTypes = ['image/*', 'video/*', 'audio/*', 'model/gltf-binary'] as const;
/** Values of supported_parameters. */
export const parameterSupport = ['supported', 'unconfirmed'] as const;

// Sections 2.12 and 3.2
/** A size that reduces to a ratio of the model is also accepted. */
export const imageSizes = [
  '1024x1024',
  '1792x1024',
  '1024x1792',
  '1536x1024',
  '1024x1536',
  'auto',
] as const;
/** The first is the default. */
export const imageFormats = ['url', 'b64_json'] as const;
export const imageStatuses = ['succeeded', 'failed', 'in_progress'] as const;

// Sections 2.13, 2.14 and 3.4
export const speechFormats = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const;
/** extvoice is the external-engine value. */
export const voiceEngines = ['standard', 'premium', 'extvoice'] as const;
export const voiceStatuses = ['active', 'unpaid'] as const;
export const feeCurrencies = ['RUB', 'USD'] as const;

// Sections 2.15 and 3.3
/** The categories of a legacy technical report. */
export const feedbackCategories = [
  'api_error',
  'performance',
  'incorrect_response',
  'integration',
  'feature_request',
  'other',
] as const;
export const defaultTicketCategory = 'general';
export const ticketCategories = [
  ...feedbackCategories,
  'billing',
  'account',
  defaultTicketCategory,
] as const;
export const ticketSources = ['api', 'dashboard', 'technical-feedback'] as const;
export const ticketStatuses = ['open', 'replied', 'closed'] as const;
export const ticketAuthors = ['client', 'staff'] as const;
export const ticketImageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;
