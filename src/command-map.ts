/** The form of `svc help --json`: its types, and docs/map.schema.json. */
import * as z from 'zod/mini';

const text = (description: string) => z.string().check(z.describe(description));
const flag = (description: string) => z.boolean().check(z.describe(description));
const list = <Item extends z.ZodMiniType>(item: Item, description: string) =>
  z.array(item).check(z.describe(description));
const word = <const Words extends readonly string[]>(words: Words, description: string) =>
  z.enum(words).check(z.describe(description));

const choices = z.optional(list(z.string(), 'the only accepted values'));

const Argument = z.object({
  name: z.string(),
  summary: z.string(),
  required: z.boolean(),
  many: flag('takes all remaining operands'),
  choices,
});

const types = ['switch', 'text', 'number', 'integer', 'duration'] as const;

const Option = z.object({
  flag: text('--max-tokens'),
  short: z.optional(text('-m')),
  type: word(types, 'a switch has no value; a duration is 30, 30s, 5m or 250ms'),
  value: z.optional(text('the word that stands for the value in the help')),
  bare: z.optional(text('the value without one: 24h of --cache, of which 1h is --cache=1h')),
  summary: z.string(),
  choices,
  default: z.optional(text('what holds when it is not given')),
  min: z.optional(z.number()),
  max: z.optional(z.number()),
  many: flag('may be repeated'),
});

const Combination = z.object({ option: z.string(), others: z.array(z.string()) });

const retries = 'sent again without an answer: at any time, with the same key, or only if not sent';

const Call = z.object({
  id: text('the operationId in `svc openapi`'),
  summary: z.string(),
  charges: flag('costs money'),
  retry: word(['safe', 'idempotent', 'never'], retries),
});

const typesOfFields =
  'of its JSON: `files[].path`, with the type; ? may be missing or null. Of several it prints a list';
const Fields = z.record(z.string(), z.string()).check(z.describe(typesOfFields));

const Command = z.object({
  path: text('what follows `svc`: `jobs list`'),
  heading: text('where `svc --help` shows it'),
  summary: z.string(),
  description: z.optional(z.string()),
  deprecated: z.boolean(),
  usage: text('one line, with its arguments'),
  arguments: z.array(Argument),
  options: list(Option, 'its own options; `svc help options --json` has those of every command'),
  columns: z.optional(list(z.string(), 'of a table: tab-separated in a pipe')),
  fields: z.optional(Fields),
  conflicts: list(Combination, 'the option cannot be given together with any of the others'),
  needs: list(Combination, 'the option needs one of the others'),
  charges: flag('it may make a call that costs money'),
  calls: list(Call, 'the calls it may make'),
  examples: z.array(z.object({ command: z.string(), purpose: z.string() })),
});

const ExitCode = z.object({ code: z.int(), name: z.string(), meaning: z.string() });
const ErrorCode = z.object({
  code: text('`code` of an error under --json'),
  exits: list(z.int(), 'the exit codes that it ends with'),
  meaning: z.string(),
  next: text('what to do'),
});
const Variable = z.object({ name: z.string(), meaning: z.string() });

/** Every answer has the version and the parts that were asked for. */
export const CommandMap = z.object({
  version: text('the version of svc'),
  commands: z.optional(z.array(Command)),
  options: z.optional(list(Option, 'the options of every command')),
  exitCodes: z.optional(z.array(ExitCode)),
  errors: z.optional(z.array(ErrorCode)),
  environment: z.optional(z.array(Variable)),
});

export type CommandMap = z.infer<typeof CommandMap>;
export type MapCommand = z.infer<typeof Command>;
export type MapOption = z.infer<typeof Option>;
