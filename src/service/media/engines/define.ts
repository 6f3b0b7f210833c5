/** Creates a media model from its options, prices and engine. */
import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { explain } from '../../../contract/explain.js';
import { characters } from '../../../contract/fields.js';
import { MediaRequest } from '../../../contract/media.js';
import type { JsonRecord } from '../../../lib/json.js';
import { assertHolds } from '../../failure.js';
import { variants } from './model.js';
import type { MediaModel, MediaResult, ModelFacts, ModelJob, ModelRequest } from './model.js';
import type { Price, SourceFacts, SourceKind, Sources, SourceSlot, Violation } from './model.js';

interface Order<Shape extends z.core.$ZodShape> {
  readonly prompt: string;
  readonly opts: z.output<z.ZodMiniObject<Shape>>;
  /** The kinds of the sources in the request, measured or not. */
  readonly kinds: readonly SourceKind[];
}

interface Rules<Shape extends z.core.$ZodShape> extends ModelFacts {
  /** The sources besides the prompt; without slots, a prompt is required. */
  readonly slots?: readonly SourceSlot[];
  readonly output?: 'text';
  readonly opts: Shape;
  /** Two options that exclude each other. */
  readonly either?: readonly [string, string];
  /** @throws ServiceFailure when the model does not accept a measured source */
  price(order: Order<Shape>, measured: SourceFacts): Price;
  /** The same order and sources give the same bytes. */
  make(order: Order<Shape>, sources: Sources): MediaResult | Promise<MediaResult>;
}

export function wordOption<const Words extends readonly string[]>(
  words: Words,
  fallback: Words[number],
  description: string,
) {
  return z._default(z.enum(words).check(z.describe(description)), fallback);
}

export function numberOption(min: number, max: number, fallback: number, description: string) {
  return z._default(z.number().check(z.gte(min), z.lte(max), z.describe(description)), fallback);
}

const seedText = 'The same prompt, options and seed produce the same file';
export const seedOption = {
  seed: z.optional(z.int().check(z.gte(0), z.lte(2 ** 32 - 1), z.describe(seedText))),
};

/** Random numbers from 0 to below 1, seeded by the parts. */
export function randomFrom(...parts: readonly (string | number)[]): () => number {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest();
  // mulberry32, seeded with the hash.
  let state = hash.readInt32LE(0);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function defineModel<Shape extends z.core.$ZodShape>(rules: Rules<Shape>): MediaModel {
  const { id, kind, slots = [], output = kind } = rules;
  const short = id.replace('local/', '');
  let schema: JsonRecord | undefined;
  return {
    ...{ ...rules, variants, slots, output, title: short.charAt(0).toUpperCase() + short.slice(1) },
    get requestJsonSchema() {
      return (schema ??= schemaOf(rules, short));
    },
    check: (request) => {
      const violations = violationsOf(rules, request);
      const isRefused = violations.some(({ ignorable }) => !ignorable);
      return isRefused ? { violations } : { violations, job: jobOf(rules, request) };
    },
  };
}

/** The fields of a request: without slots, a prompt is required. */
function shapeOf<Shape extends z.core.$ZodShape>({ slots, opts }: Rules<Shape>) {
  const fields = (slots ?? []).flatMap(sourceFields);
  const sources = Object.fromEntries(fields.map(({ name, schema }) => [name, schema]));
  const text = characters({ min: 1, max: 10_000 });
  return { prompt: slots ? z.optional(text) : text, opts: { ...sources, ...opts } };
}

function schemaOf<Shape extends z.core.$ZodShape>(rules: Rules<Shape>, short: string): JsonRecord {
  const { slots, either } = rules;
  const { prompt, opts: shape } = shapeOf(rules);
  const allOf = slots?.map((slot) => ({
    oneOf: sourceNames(slot).map((name) => ({ required: [name] })),
  }));
  const limits = { ...(allOf && { allOf }), ...(either && { not: { required: either } }) };
  const opts = z.strictObject(shape).check(z.meta(limits));
  const model = z.string().check(z.regex(new RegExp(`^(?:local/)?${short}(?::[A-Za-z0-9_-]+)?$`)));
  const body = { model, prompt, opts: slots ? opts : z.optional(opts) };
  return { ...z.toJSONSchema(z.extend(MediaRequest, body), { io: 'input' }) };
}

function violationsOf<Shape extends z.core.$ZodShape>(
  rules: Rules<Shape>,
  { prompt, opts = {} }: ModelRequest,
): Violation[] {
  const shape = shapeOf(rules);
  const { id, slots = [], either } = rules;
  const isPresent = (name: string) => opts[name] !== undefined;
  const parsed = z.object({ ...shape, opts: z.object(shape.opts) }).safeParse({ prompt, opts });
  const faults = slots
    .map((slot) => ({ ...slot, names: sourceNames(slot) }))
    .filter(({ names }) => names.filter(isPresent).length !== 1)
    .map(({ names, purpose }) => `needs exactly one of ${names.join(', ')}: ${purpose}`);
  if (either?.every(isPresent)) faults.push(`takes ${either.join(' or ')}, not both`);
  const unknown = Object.keys(opts).filter((name) => !Object.hasOwn(shape.opts, name));
  return [
    ...(parsed.error?.issues ?? []).map((issue) => violationOf(issue, { prompt, opts })),
    ...faults.map((fault) => ({ field: 'opts', message: `opts ${fault}`, ignorable: false })),
    ...unknown.map((name) => unknownOption(name, id)),
  ];
}

function jobOf<Shape extends z.core.$ZodShape>(
  rules: Rules<Shape>,
  { prompt = '', opts: values = {} }: ModelRequest,
): ModelJob {
  const references = (rules.slots ?? []).flatMap(sourceFields).flatMap(({ name, kind, form }) => {
    const value = values[name];
    return typeof value === 'string' ? [{ kind, form, field: `opts.${name}`, value }] : [];
  });
  const opts = z.object(rules.opts).parse(values);
  const order = { prompt, opts, kinds: references.map(({ kind }) => kind) };
  return {
    effectiveOpts: opts,
    references,
    price: (measured) => {
      for (const { kind, field } of references) {
        const { kind: actual = kind, mediaType = '' } = measured[kind] ?? {};
        const message = `${field} is ${mediaType}, and not ${kindWords[kind]}`;
        assertHolds(actual === kind, 422, 'source_unsupported', message);
      }
      return rules.price(order, measured);
    },
    make: async (sources) => rules.make(order, sources),
  };
}

const kindWords = { image: 'a picture', audio: 'a sound', video: 'a video' } as const;

const forms = [
  ['url', 'by its http(s) URL'],
  ['base64', 'as base64 text or a data: URL'],
  ['file_id', 'by its id from POST /v1/files'],
] as const;

/** The options that can fill a slot (section 2.11). */
function sourceFields({ kinds, purpose }: SourceSlot) {
  return kinds.flatMap((kind) =>
    forms.map(([form, words]) => {
      const text = form === 'url' ? z.url({ protocol: /^https?$/ }) : z.string();
      const schema = z.optional(text.check(z.minLength(1), z.describe(`${purpose}, ${words}`)));
      return { name: `${kind}_${form}`, kind, form, schema };
    }),
  );
}

export function sourceNames({ kinds }: SourceSlot): string[] {
  return kinds.flatMap((kind) => forms.map(([form]) => `${kind}_${form}`));
}

function violationOf(issue: z.core.$ZodIssue, input: object): Violation {
  const values = issue.code === 'invalid_value' ? issue.values : [];
  const allowed = values.filter((value) => typeof value === 'string' || typeof value === 'number');
  const field = issue.path.map(String).join('.');
  const message = explain({ issues: [issue] }, input);
  return { field, message, ...(allowed.length > 0 && { allowed }), ignorable: false };
}

function unknownOption(name: string, id: string): Violation {
  const shown = name.length > 60 ? `${name.slice(0, 60)}…` : name;
  const field = /^\w+$/.test(name) ? `opts.${shown}` : `opts[${JSON.stringify(shown)}]`;
  return { field, message: `${field} is not an option of ${id}`, ignorable: true };
}
