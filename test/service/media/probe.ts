/** A model made for tests: it sends its source back, and breaks when it is told to. */
import * as z from 'zod/mini';
import { canvas } from '../../../src/service/media/engines/canvas.js';
import { defineModel } from '../../../src/service/media/engines/define.js';
import { priceOfSeconds, type MediaModel } from '../../../src/service/media/engines/model.js';
import { ServiceFailure } from '../../../src/service/failure.js';

export interface Probe {
  readonly models: readonly MediaModel[];
  /** What each attempt to make something does: nothing, or throws. */
  onMake: () => void;
  /** How often something was made. */
  made: number;
}

/** local/probe costs a rouble a second of its recording; local/canvas stands beside it. */
export function probe(): Probe {
  const assumed = { seconds: 10, noun: 'a recording' };
  const model = defineModel({
    id: 'local/probe',
    kind: 'audio',
    summary: 'Sends its source back',
    slots: [{ kinds: ['audio', 'image'], purpose: 'what to send back' }],
    opts: { loud: z.optional(z.boolean()) },
    fromRub: 1,
    priceAxes: ['seconds'],
    defaultTookMs: 1000,
    price: (_, { audio }) => priceOfSeconds(1, audio, assumed, 'sourceSeconds'),
    make: async (_, sources) => {
      state.onMake();
      state.made += 1;
      const source = sources.audio ?? sources.image;
      if (!source) throw new ServiceFailure(422, 'source_missing', 'there is no source');
      const { mediaType, ext } = source;
      const bytes = async function* () {
        yield await source.bytes.read(0, source.bytes.length);
      };
      const resultMeta = { bytes: source.bytes.length };
      return { files: [{ mediaType, ext, bytes }], resultText: 'sent back', resultMeta };
    },
  });
  const state: Probe = { models: [canvas, model], onMake: () => undefined, made: 0 };
  return state;
}
