import { describe, expect, it } from 'vitest';
import { startPeer } from '../peer.js';
import { chatTests } from './chat.js';
import { openai } from './client.js';
import { failureTests } from './failures.js';
import { resourceTests } from './resources.js';
import { responseTests } from './responses.js';

/** All that is asked of the service with one version of the package. */
export function openaiSuite(major: number): void {
  it('is the version that it says', async () => {
    const peer = await startPeer();
    await openai(peer).models.list();
    const version = peer.lastRequest.headers.get('x-stainless-package-version');
    expect(version).toMatch(new RegExp(`^${major}\\.`));
  });
  describe('chat completions', () => chatTests(major));
  describe('responses', () => responseTests(major));
  describe('other resources', () => resourceTests(major));
  describe('failures and retries', failureTests);
}
