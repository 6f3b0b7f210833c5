/** Makes a model of its options, its prices and its engine. */
import * as z from 'zod/mini';
import { explain } from '../../../contract/explain.js';
import { MediaRequest } from '../../../contract/media.js';
import { characters } from '../../../contract/fields.js';
import { demandKinds, demandSources } from './demand.js';
import { references, slotFaults, slotFields, slotRules, slotShape } from './slots.js';
import type {
  Checked,
  MakeInput,
  MeasuredSources,
  MediaModel,
  MediaOrder,
  MediaResult,
  Price,
  SourceKind,
  SourceSlot,
  Violation,
} from './types.js';

/** The longest prompt of any model. */
const promptCharacters = { min: 1, max: 10_000 };
const longestName = 60;
const mostAllowed = 32;

/** A request as a model's own code reads it. */
export interface Ordered<Opts> {
  /** Empty when none was given. */
  readonly prompt: string;
  readonly opts: Opts;
  /** The kinds of the sources that the request names. */
  readonly given: readonly SourceKind[];
}

interface Rules<Shape extends z.core.$ZodShape> {
  readonly id: `local/${string}`;
  readonly kind: MediaModel['kind'];
  readonly title: string;
  readonly summary: string;
  readonly prompt: 'required' | 'optional';
  readonly slots?: readonly SourceSlot[];
  /** What comes out; the model's kind when it is absent. */
  readonly output?: MediaModel['output'];
  readonly opts: Shape;
  /** Two options that exclude each other. */
  readonly either?: readonly [string, string];
  readonly fromRub: number;
  readonly priceAxes: readonly string[];
  readonly defaultTookMs: number;
  /** A source is of its kind, or is not measured yet. */
  price(order: Ordered<OptsOf<Shape>>, measured: MeasuredSources): Price;
  /** Every source that the request names is there, and of its kind. */
  make(order: Ordered<OptsOf<Shape>>, input: MakeInput): Promise<MediaResult>;
}

type OptsOf<Shape extends z.core.$ZodShape> = z.output<z.ZodMiniObject<Shape>>;

/** The option that every model with chance in it takes. */
export const seedOption = {
  seed: z.optional(
    z
      .int()
      .check(
        z.gte(0),
        z.lte(2 ** 32 - 1),
        z.describe('The same prompt, options and seed give the same file'),
      ),
  ),
};

/** The model of a set of rules. Its schema is derived when it is first asked for. */
export function defineModel<Shape extends z.core.$ZodShape>(rules: Rules<Shape>): MediaModel {
  const { id, kind, title, summary, slots = [], fromRub, priceAxes, defaultTookMs } = rules;
  const own = z.strictObject(rules.opts);
  const { output = kind } = rules;
  let schema: MediaModel['requestJsonSchema'] | undefined;
  return {
    id,
    kind,
    title,
    summary,
    slots,
    output,
    fromRub,
    priceAxes,
    defaultTookMs,
    get requestJsonSchema() {
      return (schema ??= jsonSchema(rules, slots));
    },
    check: (order) => {
      const { violations, fitting } = violationsOf(order, rules, slots);
      if (violations.some(({ ignorable }) => !ignorable)) return { violations };
      const opts = own.parse(withoutSources(slots, fitting));
      const named = references(slots, fitting);
      const ordered = { prompt: order.prompt ?? '', opts, given: named.map(({ kind }) => kind) };
      const job: Checked['job'] = {
        effectiveOpts: opts,
        references: named,
        price: (measured) => {
          demandKinds(named, measured);
          return rules.price(ordered, measured);
        },
        make: async (input) => {
          demandSources(named, input.sources);
          return rules.make(ordered, input);
        },
      };
      return { job, violations };
    },
  };
}

/** The body of a generate call to this model, pinned and short names of the model included. */
function jsonSchema<Shape extends z.core.$ZodShape>(
  rules: Rules<Shape>,
  slots: readonly SourceSlot[],
): MediaModel['requestJsonSchema'] {
  const short = rules.id.slice(rules.id.indexOf('/') + 1);
  const opts = optsSchema(rules, slots);
  const body = z.extend(MediaRequest, {
    model: z.string().check(z.regex(new RegExp(`^(?:local/)?${short}(?::[A-Za-z0-9_-]+)?$`))),
    prompt: promptSchema(rules.prompt),
    opts: slots.length > 0 ? opts : z.optional(opts),
  });
  return { ...z.toJSONSchema(body, { io: 'input' }) };
}

function promptSchema(need: 'required' | 'optional') {
  const prompt = characters(promptCharacters);
  return need === 'required' ? prompt : z.optional(prompt);
}

function optsSchema<Shape extends z.core.$ZodShape>(
  { opts, either }: Rules<Shape>,
  slots: readonly SourceSlot[],
) {
  const exclusion = either ? { not: { required: [...either] } } : {};
  return z
    .strictObject({ ...slotShape(slots), ...opts })
    .check(z.meta({ ...slotRules(slots), ...exclusion }));
}

/** @returns all violations, and the options without those that the model does not know */
function violationsOf<Shape extends z.core.$ZodShape>(
  order: MediaOrder,
  rules: Rules<Shape>,
  slots: readonly SourceSlot[],
): { violations: readonly Violation[]; fitting: Readonly<Record<string, unknown>> } {
  const given = { prompt: order.prompt, opts: order.opts ?? {} };
  const schema = z.object({ prompt: promptSchema(rules.prompt), opts: optsSchema(rules, slots) });
  const parsed = schema.safeParse(given);
  const issues = parsed.success ? [] : parsed.error.issues;
  const unknown = issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys : []));
  const fitting = Object.fromEntries(
    Object.entries(given.opts).filter(([name]) => !unknown.includes(name)),
  );
  const { either } = rules;
  const clash = either?.every((name) => fitting[name] !== undefined);
  const faults = [
    ...slotFaults(slots, fitting),
    ...(either && clash ? [`takes ${either.join(' or ')}, not both`] : []),
  ];
  return {
    fitting,
    violations: [
      ...issues
        .filter(({ code }) => code !== 'unrecognized_keys')
        .map((issue) => fault(issue, given)),
      ...faults.map((text) => ({ field: 'opts', message: `opts ${text}`, ignorable: false })),
      ...unknown.map((name) => unknownOption(name, rules.id)),
    ],
  };
}

function fault(issue: z.core.$ZodIssue, given: object): Violation {
  const allowed =
    issue.code === 'invalid_value' ? issue.values.filter(isPlain).slice(0, mostAllowed) : undefined;
  return {
    field: issue.path.map(String).join('.'),
    message: explain({ issues: [issue] }, given),
    ...(allowed && allowed.length > 0 ? { allowed } : {}),
    ignorable: false,
  };
}

function unknownOption(name: string, id: string): Violation {
  const shown = name.length > longestName ? `${name.slice(0, longestName)}…` : name;
  // Whatever else a name holds, it is told as JSON.
  const field = /^\w+$/.test(name) ? `opts.${shown}` : `opts[${JSON.stringify(shown)}]`;
  return { field, message: `${field} is no option of ${id}`, ignorable: true };
}

function isPlain(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

function withoutSources(
  slots: readonly SourceSlot[],
  opts: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const names = new Set(slots.flatMap(slotFields).map(({ name }) => name));
  return Object.fromEntries(Object.entries(opts).filter(([name]) => !names.has(name)));
}
