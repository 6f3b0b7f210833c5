/** The bodies that carry recordings: links as they are, files in base64 while they are sent. */
import { randomUUID } from 'node:crypto';
import type { Travelling, VoiceBody, VoiceSamplesBody } from '../../api/voices.js';
import { jsonBody, type Base64Source } from '../../http/request-body.js';
import type { Sample } from './samples.js';

export interface VoiceWishes {
  readonly name: string;
  readonly engine: VoiceBody['engine'];
  readonly removeBackgroundNoise: boolean;
}

/** What stands for a file. Under --dry-run words do. */
export type StandIn = 'content' | 'words';

/** The request for a new voice, whose recordings the person may use. */
export function createBody(
  { name, engine, removeBackgroundNoise }: VoiceWishes,
  samples: readonly Sample[],
  standIn: StandIn,
): Travelling<VoiceBody> {
  const { values, sources } = inlined(samples, standIn);
  const [first, ...others] = values;
  const body = {
    name,
    consent: true as const,
    ...(engine === undefined ? {} : { engine }),
    ...(others.length === 0 ? first : { samples: values }),
    ...noise(removeBackgroundNoise),
  };
  return travelling(body, sources);
}

/** The request for more recordings. */
export function samplesBody(
  samples: readonly Sample[],
  removeBackgroundNoise: boolean,
  standIn: StandIn,
): Travelling<VoiceSamplesBody> {
  const { values, sources } = inlined(samples, standIn);
  return travelling({ samples: values, ...noise(removeBackgroundNoise) }, sources);
}

function noise(isRemoved: boolean) {
  return isRemoved ? { remove_background_noise: true } : {};
}

type Inlined = { audio_url: string } | { audio_base64: string };

function inlined(samples: readonly Sample[], standIn: StandIn) {
  const sources = new Map<string, Base64Source>();
  const values = samples.map((sample): Inlined => {
    if ('url' in sample) return { audio_url: sample.url };
    if (standIn === 'words') return { audio_base64: `(${sample.name} in base64)` };
    const placeholder = `svc-recording-${randomUUID()}`;
    sources.set(placeholder, sample);
    return { audio_base64: placeholder };
  });
  return { values, sources };
}

function travelling<Body>(body: Body, sources: Map<string, Base64Source>): Travelling<Body> {
  const payload = {
    contentType: 'application/json',
    body: jsonBody(JSON.stringify(body), sources),
  };
  return { body, payload };
}
