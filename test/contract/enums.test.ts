import { expect, test } from 'vitest';
import * as enums from '../../src/contract/enums.js';

test('every enumeration is the one of the document, and so is what holds by default', () => {
  const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
  const report = [
    'api_error',
    'performance',
    'incorrect_response',
    'integration',
    'feature_request',
    'other',
  ];
  expect({ ...enums }).toEqual({
    messageRoles: ['system', 'user', 'assistant', 'tool'],
    chatFormats: ['chat', 'messages', 'responses'],
    reasoningEfforts: efforts,
    reasoningSummaries: ['auto', 'concise', 'detailed'],
    thinkingTypes: ['enabled', 'disabled'],
    toolChoices: ['auto', 'none', 'required'],
    embeddingEncodings: ['float', 'base64'],
    searchRegions: ['ru', 'global'],
    searchModes: ['turbo', 'base', 'pro'],
    mediaKinds: ['image', 'video', 'audio', 'music', '3d'],
    mediaProviders: ['pixel', 'flow', 'canvas', 'prime'],
    jobStatuses: ['submitting', 'processing', 'success', 'fail'],
    sandboxStages: ['submission_unknown', 'submission_not_started'],
    sandboxOutcomes: ['submission_uncertain'],
    extendTiers: ['lite', 'fast', 'quality'],
    resultTypes: ['image/*', 'video/*', 'audio/*', 'model/gltf-binary'],
    imageSizes: ['1024x1024', '1792x1024', '1024x1792', '1536x1024', '1024x1536', 'auto'],
    imageFormats: ['url', 'b64_json'],
    imageStatuses: ['succeeded', 'failed', 'in_progress'],
    speechFormats: ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'],
    voiceEngines: ['standard', 'premium', 'extvoice'],
    voiceStatuses: ['active', 'unpaid'],
    feeCurrencies: ['RUB', 'USD'],
    feedbackCategories: report,
    ticketCategories: [...report, 'billing', 'account', 'general'],
    defaultTicketCategory: 'general',
    ticketSources: ['api', 'dashboard', 'technical-feedback'],
    ticketStatuses: ['open', 'replied', 'closed'],
    ticketAuthors: ['client', 'staff'],
    ticketImageTypes: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
    parameterSupport: ['supported', 'unconfirmed'],
    decisionTypes: ['choice', 'score', 'noul'],
  });
});
