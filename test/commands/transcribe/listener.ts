/** A service that transcribes, and a recording that is too large for it. */
import { join } from 'node:path';
import { systemClock } from '../../../src/lib/clock.js';
import { front } from '../../helpers/front.js';
import { comment, wav } from '../../lib/audio/files.js';

/** A service that answers with `hear`; `count` is 1 for the first recording. */
export async function listener(
  hear: (count: number) => string = () => 'what it says',
  model = 'vendor/ear',
) {
  const at = await front({
    before: ['transcribe', '-m', model],
    usual: { tty: { stdin: true }, home: undefined, clock: systemClock },
    standIn: ({ method }, count) =>
      method === 'POST'
        ? { json: { text: hear(count) }, headers: { 'x-svc-generation-id': `gen_${count}` } }
        : { json: { balance_rub: 90, priceRub: 2 } },
  });
  const posts = () => at.requests.filter(({ method }) => method === 'POST');
  return { ...at, posts, path: (name: string) => join(at.home, name) };
}

/**
 * A loud tone, with a pause near the first cut.
 * @param bytes of sound; two minutes and more unless told otherwise.
 */
export function large(bytes = 54_000_000): Buffer {
  const sound = Buffer.alloc(bytes, Buffer.from([0, 0x40, 0, 0x20]));
  sound.fill(0, 50_000_000, 50_400_000);
  return wav(sound, { sampleRate: 192_000, after: [comment('all of it')] });
}
