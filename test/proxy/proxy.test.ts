import { describe, expect, it } from 'vitest';
import { startPeer } from '../service/sdk/peer.js';
import { keys } from '../service/helpers.js';
import { clientFor, startProxy } from './rig.js';

const question = { model: 'local/echo', messages: [{ role: 'user', content: 'hello there' }] };

describe('the proxy over the embedded service', () => {
  it('forwards a chat and tells what it cost', async () => {
    const peer = await startPeer();
    const { chat, proxy, ended, priced } = await startProxy(
      await clientFor(peer.url, {}, keys.local),
    );
    const answer = await chat(question);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      choices: [{ message: { content: 'hello there' } }],
    });
    await proxy.end(3000);
    expect(ended).toMatchObject([{ number: 1, status: 200, isWhole: true, model: 'local/echo' }]);
    expect(priced).toMatchObject([{ number: 1 }]);
    expect(priced[0]?.priceRub).toBeGreaterThan(0);
    const total = { requests: 1, open: 0, refused: 0, priceRub: priced[0]?.priceRub };
    expect(proxy.totals.byModel.get('local/echo')).toMatchObject(total);
  });

  it('accepts only the key of the run', async () => {
    const peer = await startPeer();
    const { chat, ended } = await startProxy(await clientFor(peer.url, {}, keys.local));
    const answer = await chat(question, { headers: { 'x-api-key': keys.local } });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('x-should-retry')).toBe('false');
    expect(await answer.json()).toMatchObject({ error: { code: 'invalid_api_key' } });
    expect(peer.exchanges).toEqual([]);
    expect(ended).toMatchObject([{ status: 401, priceRub: 0 }]);
  });
});
