/** A service that transcribes, and a recording that is too large for it. */
import { bentService } from '../../helpers/bent-service.js';
import { json, type Seen } from '../../helpers/fake-service.js';
import { comment, wav } from '../../lib/audio/files.js';

/** A service that answers with `hear`; `count` is 1 for the first recording. */
export function listener(
  hear: (count: number, request: Seen) => string = () => 'what it says',
  model = 'vendor/ear',
) {
  return bentService(
    (request, response, count) => {
      const answer =
        request.method === 'POST'
          ? json({ text: hear(count, request) }, 200, { 'x-svc-generation-id': `gen_${count}` })
          : json({ balance_rub: 90, priceRub: 2 });
      answer(request, response);
    },
    ['transcribe', '-m', model],
    { tty: { stdin: true } },
  );
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
