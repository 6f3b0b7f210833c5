/** Recordings that come inside a request: each is decoded to disk as it arrives, and gone after. */
import { voice as limits } from '../../contract/limits.js';
import { bodyPieces, parseJson } from '../body.js';
import type { Call, House } from '../call.js';
import { measure } from '../media/engines/measure.js';
import { bytesSource, type Measured } from '../media/engines/types.js';
import { readAt } from '../media/sources.js';
import { decodeBase64, NotBase64 } from './base64.js';
import { withoutLongStrings } from './long-strings.js';
import { invalidSample, tooLargeSample } from './refusals.js';

/** A recording as it came, and what is known of it. */
export interface MeasuredRecording {
  readonly byteLength: number;
  readonly measured: Measured;
}

type Kept = { readonly name: string; readonly byteLength: number } | { readonly fault: string };

/** So long that it passes for nothing else that a request could hold. */
const tokenCharacters = 200;

export class InlineRecordings {
  readonly #kept = new Map<string, Kept>();

  constructor(private readonly house: House) {}

  /** The body of a call, with a token in the place of each recording that was kept. */
  async readBody({ request }: Call): Promise<unknown> {
    const pieces: Buffer[] = [];
    const body = bodyPieces(request, limits.bodyBytes);
    for await (const piece of withoutLongStrings(body, (text) => this.#keep(text))) {
      pieces.push(piece);
    }
    return parseJson(Buffer.concat(pieces));
  }

  /**
   * Measures a recording by the token that stands for it, or by its own base64.
   * @param place what to call it in a message
   * @throws ServiceFailure 422 when it is no base64 or too large
   * @throws MediaRefusal when it is nothing that can be measured
   */
  async measure(place: string, base64: string): Promise<MeasuredRecording> {
    const kept = this.#kept.get(base64);
    if (!kept) return this.#measureShort(place, base64);
    if ('fault' in kept) throw invalidSample(place, kept.fault);
    const { name, byteLength } = kept;
    if (byteLength > limits.sampleBytes) throw tooLargeSample(place);
    const handle = await this.house.media.folder.open('files', name);
    if (!handle) throw new Error('the recording that was just kept is not there');
    try {
      return { byteLength, measured: await measure(readAt(handle, byteLength)) };
    } finally {
      await handle.close();
    }
  }

  /** Removes what was kept. */
  async close(): Promise<void> {
    for (const kept of this.#kept.values()) {
      if ('name' in kept) await this.house.media.folder.remove('files', kept.name);
    }
  }

  async #keep(text: AsyncIterable<Buffer>): Promise<string> {
    const { media, newId } = this.house;
    // Should this process die, the file goes with other parts that were left behind.
    const name = `voice_${newId()}.part`;
    try {
      const bytes = decodeBase64(text, limits.sampleBytes);
      const { byteLength, sha256 } = await media.folder.write('files', name, bytes);
      return this.#token({ name, byteLength }, sha256);
    } catch (error) {
      if (!(error instanceof NotBase64)) throw error;
      return this.#token({ fault: error.message });
    }
  }

  /** The same of the same body, by which one that is sent again is known. */
  #token(kept: Kept, sha256 = ''): string {
    const token = `${this.#kept.size} ${sha256}`.padEnd(tokenCharacters, '.');
    this.#kept.set(token, kept);
    return token;
  }

  async #measureShort(place: string, base64: string): Promise<MeasuredRecording> {
    const pieces: Buffer[] = [];
    try {
      // As UTF-8, what is no letter of base64 cannot look like one.
      const text = [Buffer.from(base64, 'utf8')];
      for await (const piece of decodeBase64(text, limits.sampleBytes)) pieces.push(piece);
    } catch (error) {
      if (error instanceof NotBase64) throw invalidSample(place, error.message);
      throw error;
    }
    const bytes = Buffer.concat(pieces);
    return { byteLength: bytes.byteLength, measured: await measure(bytesSource(bytes)) };
  }
}
