/** Makes a model of its options, its prices and its engine. */
import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { explain } from '../../../contract/explain.js';
import { MediaRequest } from '../../../contract/media.js';
import { characters } from '../../../contract/fields.js';
import {
  MediaRefusal,
  type MakeInput,
  type Measured,
  type MeasuredSources,
  type MediaModel,
  type MediaResult,
  type Price,
  type SourceKind,
  type SourceReference,
  type SourceSlot,
  type Violation,
} from './types.js';

/** The longest prompt of any model. */
const promptCharacters = { min: 1, max: 10_000 };
const longestName = 60;
const mostAllowed = 32;

type Opts = Readonly<Record<string, unknown>>;
type OptsOf<Shape extends z.core.$ZodShape> = z.output<z.ZodMiniObject<Shape>>;

/** A request as a model's own code reads it. */
interface Ordered<Opts> {
  /** Empty when none was given. */
  readonly prompt: string;
  readonly opts: Opts;
  /** The kinds of the sources that the request names. */
  readonly given: readonly SourceKind[];
}

interface Rules<Shape extends z.core.$ZodShape> extends Omit<
  MediaModel,
  'slots' | 'output' | 'requestJsonSchema' | 'check'
> {
  readonly id: `local/${string}`;
  readonly prompt: 'required' | 'optional';
  readonly slots?: readonly SourceSlot[];
  /** What comes out; the model's kind when it is absent. */
  readonly output?: MediaModel['output'];
  readonly opts: Shape;
  /** Two options that exclude each other. */
  readonly either?: readonly [string, string];
  /** A source is of its kind, or is not measured yet. */
  price(order: Ordered<OptsOf<Shape>>, measured: MeasuredSources): Price;
  /** Every source that the request names is there, and of its kind. */
  make(order: Ordered<OptsOf<Shape>>, input: MakeInput): MediaResult | Promise<MediaResult>;
}

/** An option that is one of a few words. */
export function wordOption<const Words extends readonly string[]>(
  words: Words,
  fallback: Words[number],
  description: string,
) {
  return z._default(z.enum(words).check(z.describe(description)), fallback);
}

/** An option that is a number between two others. */
export function numberOption(min: number, max: number, fallback: number, description: string) {
  return z._default(z.number().check(z.gte(min), z.lte(max), z.describe(description)), fallback);
}

/** The option that every model with chance in it takes. */
const seedText = 'The same prompt, options and seed give the same file';
export const seedOption = {
  seed: z.optional(z.int().check(z.gte(0), z.lte(2 ** 32 - 1), z.describe(seedText))),
};

/** Numbers from 0 up to, not including, 1: a sequence of its own for every list of parts. */
export function randomFrom(...parts: readonly (string | number)[]): () => number {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest();
  // sfc32: 128 bits of state, as many as the hash gives it here.
  let [a, b, c] = [hash.readInt32LE(0), hash.readInt32LE(4), hash.readInt32LE(8)];
  let counter = hash.readInt32LE(12);
  return () => {
    const mixed = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + mixed) | 0;
    return (mixed >>> 0) / 2 ** 32;
  };
}

/** Rounds a price to the next kopeck, so that nothing that costs is free. */
export function wholeKopecks(rub: number): number {
  // A kopeck's ten-thousandth is what binary fractions leave behind: it is no price.
  return Math.max(0, Math.ceil(rub * 100 - 1e-4)) / 100;
}

/**
 * The price of what is multiplied.
 * @param assumed what stands in for a source that was not measured
 * @param per of how many the price is told
 */
export function priceOf(breakdown: Price['breakdown'], assumed?: string, per = 1): Price {
  const rub = Object.values(breakdown).reduce((product, factor) => product * factor, 1) / per;
  const priceRub = wholeKopecks(rub);
  if (assumed === undefined) return { priceRub, isEstimate: false, breakdown };
  const estimateReason = `the source was not measured: ${assumed} is assumed`;
  return { priceRub, isEstimate: true, estimateReason, breakdown };
}

/** The model of a set of rules. Its schema is derived when it is first asked for. */
export function defineModel<Shape extends z.core.$ZodShape>(rules: Rules<Shape>): MediaModel {
  const { id, kind, title, summary, fromRub, priceAxes, defaultTookMs } = rules;
  const { slots = [], output = kind } = rules;
  const fields = slots.flatMap(slotFields);
  let schema: MediaModel['requestJsonSchema'] | undefined;
  return {
    ...{ id, kind, title, summary, slots, output, fromRub, priceAxes, defaultTookMs },
    get requestJsonSchema() {
      return (schema ??= bodySchema(rules));
    },
    check: (order) => {
      const given = { prompt: order.prompt, opts: order.opts ?? {} };
      const { unknown, violations } = violationsOf(given, rules);
      if (violations.some(({ ignorable }) => !ignorable)) return { violations };
      const sourceNames = fields.map(({ name }) => name);
      const opts = z
        .strictObject(rules.opts)
        .parse(without(given.opts, [...unknown, ...sourceNames]));
      const references = fields.flatMap(({ name, kind, form }) => {
        const value = given.opts[name];
        return typeof value === 'string' ? [{ kind, form, field: `opts.${name}`, value }] : [];
      });
      const { prompt = '' } = order;
      const ordered = { prompt, opts, given: references.map(({ kind }) => kind) };
      return {
        violations,
        job: {
          effectiveOpts: opts,
          references,
          price: (measured) => {
            for (const reference of references) assertKind(reference, measured[reference.kind]);
            return rules.price(ordered, measured);
          },
          make: async (input) => {
            for (const reference of references) {
              const source = input.sources[reference.kind];
              const message = `${reference.field} was not opened`;
              if (!source) throw new MediaRefusal('source_missing', message);
              assertKind(reference, source.measured);
            }
            return rules.make(ordered, input);
          },
        },
      };
    },
  };
}

const kindWords = { image: 'a picture', audio: 'a sound', video: 'a video' } as const;

/** @throws MediaRefusal when a source that was measured is of another kind */
function assertKind({ field, kind }: SourceReference, measured: Measured | undefined): void {
  if (!measured || measured.kind === kind) return;
  const message = `${field} is ${measured.mediaType}, and not ${kindWords[kind]}`;
  throw new MediaRefusal('source_unsupported', message);
}

const forms = [
  { form: 'url', words: 'by its http(s) URL' },
  { form: 'base64', words: 'as base64 text or a data: URL' },
  { form: 'file_id', words: 'by the id that POST /v1/files gave it' },
] as const;

/** The options that can fill a slot (section 2.11). */
function slotFields({ kinds, purpose }: SourceSlot) {
  return kinds.flatMap((kind) =>
    forms.map(({ form, words }) => {
      const text = form === 'url' ? z.url({ protocol: /^https?$/ }) : z.string();
      const schema = z.optional(text.check(z.minLength(1), z.describe(`${purpose}, ${words}`)));
      return { name: `${kind}_${form}`, kind, form, schema };
    }),
  );
}

function promptSchema({ prompt }: Pick<Rules<z.core.$ZodShape>, 'prompt'>) {
  const text = characters(promptCharacters);
  return prompt === 'required' ? text : z.optional(text);
}

/** Exactly one option of each slot, and the model's own. */
function optsSchema<Shape extends z.core.$ZodShape>({ opts, either, slots = [] }: Rules<Shape>) {
  const sources = slots.flatMap(slotFields).map(({ name, schema }) => [name, schema] as const);
  const oneOfEach = slots.map((slot) => ({
    oneOf: slotFields(slot).map(({ name }) => ({ required: [name] })),
  }));
  return z.strictObject({ ...Object.fromEntries(sources), ...opts }).check(
    z.meta({
      ...(slots.length > 0 ? { allOf: oneOfEach } : {}),
      ...(either ? { not: { required: [...either] } } : {}),
    }),
  );
}

/** The body of a generate call to this model, pinned and short names of the model included. */
function bodySchema<Shape extends z.core.$ZodShape>(rules: Rules<Shape>) {
  const short = rules.id.slice(rules.id.indexOf('/') + 1);
  const opts = optsSchema(rules);
  const body = z.extend(MediaRequest, {
    model: z.string().check(z.regex(new RegExp(`^(?:local/)?${short}(?::[A-Za-z0-9_-]+)?$`))),
    prompt: promptSchema(rules),
    opts: rules.slots ? opts : z.optional(opts),
  });
  return { ...z.toJSONSchema(body, { io: 'input' }) };
}

/** All that does not fit, and the names of the options that the model does not know. */
function violationsOf<Shape extends z.core.$ZodShape>(
  given: { readonly prompt: string | undefined; readonly opts: Opts },
  rules: Rules<Shape>,
): { readonly violations: readonly Violation[]; readonly unknown: readonly string[] } {
  const { id, slots = [], either } = rules;
  const schema = z.object({ prompt: promptSchema(rules), opts: optsSchema(rules) });
  const issues = schema.safeParse(given).error?.issues ?? [];
  const unknown = issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys : []));
  const isGiven = (name: string) => given.opts[name] !== undefined;
  const faults = slots.flatMap((slot) => {
    const names = slotFields(slot).map(({ name }) => name);
    if (names.filter(isGiven).length === 1) return [];
    return [`needs exactly one of ${names.join(', ')}: ${slot.purpose}`];
  });
  if (either?.every(isGiven)) faults.push(`takes ${either.join(' or ')}, not both`);
  return {
    unknown,
    violations: [
      ...issues
        .filter(({ code }) => code !== 'unrecognized_keys')
        .map((issue) => violationOf(issue, given)),
      ...faults.map((text) => ({ field: 'opts', message: `opts ${text}`, ignorable: false })),
      ...unknown.map((name) => unknownOption(name, id)),
    ],
  };
}

function violationOf(issue: z.core.$ZodIssue, given: object): Violation {
  const values = issue.code === 'invalid_value' ? issue.values.filter(isPlain) : [];
  return {
    field: issue.path.map(String).join('.'),
    message: explain({ issues: [issue] }, given),
    ...(values.length > 0 ? { allowed: values.slice(0, mostAllowed) } : {}),
    ignorable: false,
  };
}

function isPlain(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

function unknownOption(name: string, id: string): Violation {
  const shown = name.length > longestName ? `${name.slice(0, longestName)}…` : name;
  // Whatever else a name holds, it is told as JSON.
  const field = /^\w+$/.test(name) ? `opts.${shown}` : `opts[${JSON.stringify(shown)}]`;
  return { field, message: `${field} is no option of ${id}`, ignorable: true };
}

function without(opts: Opts, names: readonly string[]): Opts {
  return Object.fromEntries(Object.entries(opts).filter(([name]) => !names.includes(name)));
}
