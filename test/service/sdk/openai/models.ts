import { expect, it } from 'vitest';
import { collect, startPeer } from '../peer.js';
import { openai } from './client.js';

/** What the package does with the model list. */
export function modelTests(major: number): void {
  it('lists the models', async () => {
    const peer = await startPeer();
    const models = await peer.free(() => collect(openai(peer).models.list()));
    expect(models.map(({ id, object }) => [id, object])).toEqual([
      ['local/guide', 'model'],
      ['local/echo', 'model'],
      ['local/script', 'model'],
      ['local/embed', 'model'],
      ['local/decide', 'model'],
    ]);
  });

  it('retrieves a model by an id with a slash, which version 4 sends as it is', async () => {
    const peer = await startPeer();
    const model = await peer.free(() => openai(peer).models.retrieve('local/echo'));
    expect(model).toMatchObject({ id: 'local/echo', object: 'model' });
    const sent = major === 4 ? 'local/echo' : 'local%2Fecho';
    expect(new URL(peer.lastRequest.url).pathname).toBe(`/v1/models/${sent}`);
  });
}
