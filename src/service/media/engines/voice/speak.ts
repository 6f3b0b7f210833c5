/** A small formant synthesiser: a buzz and a hiss, shaped by the resonances of a mouth. */
import { randomFrom } from '../random.js';
import type { Sound } from '../wav/write.js';
import { phonesOf, type Phone } from './phones.js';
import { voiceOf, type Voice } from './voices.js';

export const sampleRate = 24_000;
/** The mouth moves to its next place in steps of this length. */
const stepFrames = 96;
/** How much of the way it goes in a step. */
const agility = 0.28;
const volume = 0.5;
const stepsInPiece = 64;

export interface Speech {
  readonly text: string;
  /** One of `voiceNames`, or any other word for a voice of its own. */
  readonly voice: string;
  /** 1 is normal. */
  readonly speed: number;
}

/** The sound of a text: mono, 24 kHz. Its length is known before its first sample is made. */
export function speak({ text, voice: name, speed }: Speech): Sound {
  const voice = voiceOf(name);
  const steps = phonesOf(text).map((phone) => ({
    phone,
    steps: Math.max(
      1,
      Math.round((phone.seconds * sampleRate) / (speed * voice.pace * stepFrames)),
    ),
  }));
  const frames = steps.reduce((sum, { steps }) => sum + steps * stepFrames, 0);
  return { sampleRate, channels: 1, frames, pieces: () => render(steps, voice, name) };
}

type Timed = readonly { readonly phone: Phone; readonly steps: number }[];

/** Where the mouth is now; it moves towards the sound that is spoken. */
interface Mouth {
  formants: [number, number, number];
  voiced: number;
  hiss: number;
  hissHertz: number;
  hertz: number;
}

function* render(timed: Timed, voice: Voice, name: string): Generator<Int16Array> {
  const synthesiser = new Synthesiser(voice, name);
  let piece = new Int16Array(stepsInPiece * stepFrames);
  let filled = 0;
  for (const [index, { phone, steps }] of timed.entries()) {
    const contour = pitchAt(timed, index);
    for (let step = 0; step < steps; step++) {
      synthesiser.move(phone, contour, step / steps < phone.stop);
      synthesiser.fill(piece.subarray(filled, filled + stepFrames));
      filled += stepFrames;
      if (filled === piece.length) {
        yield piece;
        piece = new Int16Array(piece.length);
        filled = 0;
      }
    }
  }
  yield piece.subarray(0, filled);
}

/** Where the melody of a clause stands, -1 to 1: it falls, and rises at the end of a question. */
function pitchAt(timed: Timed, index: number): number {
  let since = 0;
  while (since < 40 && index - since > 0 && !timed[index - since - 1]?.phone.ends) since++;
  const ahead = timed.slice(index, index + 7).find(({ phone }) => phone.ends);
  const rise = ahead?.phone.ends === 'question' ? 1.2 : 0;
  return Math.max(-1, 0.8 - since * 0.05) + rise;
}

class Synthesiser {
  private readonly random;
  private readonly mouth: Mouth;
  private readonly tones = [new Resonance(90), new Resonance(110), new Resonance(170)] as const;
  private readonly hissing = new Resonance(900);
  private phase = 0;
  private steps = 0;

  constructor(
    private readonly voice: Voice,
    name: string,
  ) {
    this.random = randomFrom('breath', name);
    const { hertz } = voice;
    this.mouth = { formants: [500, 1500, 2500], voiced: 0, hiss: 0, hissHertz: 1500, hertz };
  }

  /** Goes a step towards a sound. */
  move(phone: Phone, contour: number, closed: boolean): void {
    const { mouth, voice } = this;
    const part = closed ? 0 : 1;
    const waver = 0.012 * Math.sin(this.steps++ * 0.11);
    const hertz = voice.hertz * (1 + voice.melody * contour + (voice.melody > 0 ? waver : 0));
    mouth.voiced += (phone.voiced * part * (1 - voice.breath) - mouth.voiced) * agility;
    const breath = phone.voiced * voice.breath * 0.8;
    mouth.hiss += ((phone.hiss + breath) * part - mouth.hiss) * agility * 1.6;
    mouth.hissHertz = phone.hiss > 0 ? phone.hissHertz : phone.formants[1] * voice.formants;
    mouth.hertz += (hertz - mouth.hertz) * agility * 0.5;
    for (const [index, tone] of this.tones.entries()) {
      const target = (phone.formants[index] ?? 0) * voice.formants;
      const now = mouth.formants[index] ?? target;
      mouth.formants[index] = now + (target - now) * agility;
      tone.tune(mouth.formants[index] ?? target);
    }
    this.hissing.tune(mouth.hissHertz);
  }

  fill(samples: Int16Array): void {
    const { mouth, random, hissing } = this;
    const [first, second, third] = this.tones;
    const turn = mouth.hertz / sampleRate;
    for (let index = 0; index < samples.length; index++) {
      this.phase += turn;
      if (this.phase >= 1) this.phase -= 1;
      const buzz = glottis(this.phase) * mouth.voiced;
      const tone = first.pass(buzz) + 0.9 * second.pass(buzz) + 0.6 * third.pass(buzz);
      const noise = hissing.pass((random.next() * 2 - 1) * mouth.hiss);
      const sum = (tone + noise * 0.6) * volume;
      samples[index] = (sum / (1 + Math.abs(sum))) * 32_767;
    }
  }
}

/** How the flow of air through the vocal folds changes: it swells, shuts at once, rests. */
function glottis(phase: number): number {
  const open = phase / 0.66;
  return open < 1 ? 3 * open * (2 - 3 * open) : 0;
}

/** A resonance of the mouth: a filter that rings at its frequency. */
class Resonance {
  private gain = 0;
  private last = 0;
  private before = 0;
  private oneBack = 0;
  private twoBack = 0;

  constructor(private readonly bandwidthHertz: number) {}

  tune(hertz: number): void {
    const decay = Math.exp((-Math.PI * this.bandwidthHertz) / sampleRate);
    this.oneBack = 2 * decay * Math.cos((2 * Math.PI * hertz) / sampleRate);
    this.twoBack = -decay * decay;
    // Keeps the loudness at the resonance about the same wherever it lies.
    this.gain = (1 - decay) * 2 * Math.sin((2 * Math.PI * Math.min(hertz, 11_000)) / sampleRate);
  }

  pass(input: number): number {
    const output = this.gain * input + this.oneBack * this.last + this.twoBack * this.before;
    this.before = this.last;
    this.last = output;
    return output;
  }
}
