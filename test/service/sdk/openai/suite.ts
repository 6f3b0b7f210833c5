import { describe, expect, it } from 'vitest';
import { startPeer } from '../peer.js';
import { audioTests } from './resources.js';
import { brokenStreamTests } from './broken-streams.js';
import { chatTests } from './chat.js';
import { openai } from './client.js';
import { embeddingTests } from './resources.js';
import { failureTests, retryTests } from './failures.js';
import { imageTests } from './resources.js';
import { modelTests } from './resources.js';
import { responseTests } from './responses.js';
import { structuredTests } from './structured.js';
import { toolTests } from './tools.js';

/** All that is asked of the service with one version of the package. */
export function openaiSuite(major: number): void {
  it('is the version that it says', async () => {
    const peer = await startPeer();
    await openai(peer).models.list();
    const version = peer.lastRequest.headers.get('x-stainless-package-version');
    expect(version).toMatch(new RegExp(`^${major}\\.`));
  });
  describe('models', () => modelTests(major));
  describe('chat completions', chatTests);
  describe('tools', toolTests);
  // The helpers of version 4 know only schemas of zod 3.
  if (major > 4) describe('structured answers', structuredTests);
  describe('responses', () => responseTests(major));
  describe('embeddings', embeddingTests);
  describe('images and files', imageTests);
  describe('speech and transcription', audioTests);
  describe('failures', failureTests);
  describe('retries', retryTests);
  describe('broken streams', brokenStreamTests);
}
