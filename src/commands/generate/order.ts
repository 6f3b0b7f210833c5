/** Puts a request together: options by the model's schema, sources in their options. */
import { createHash, randomUUID } from 'node:crypto';
import type { Client } from '../../api/client.js';
import { uploadFile } from '../../api/files.js';
import type { Capability } from '../../api/media/capabilities.js';
import { payloadOf, type MediaBody } from '../../api/media/body.js';
import type { Payload } from '../../api/prepare.js';
import { NetworkError, OutcomeUnknown, UsageError } from '../../errors.js';
import type { Base64Source } from '../../http/request-body.js';
import { listOf, type JsonRecord } from '../../lib/json.js';
import { coerce, coerceContent } from './coerce.js';
import { requestHash } from '../jobs/resume.js';
import type { Draft } from './draft.js';
import { fillAll, type Filled } from './fill.js';
import { fileHash, nameOf } from './sources.js';
import { needs, optionsOf, typesOf, type KnownOption } from './schema.js';

/** A request that fits its model, as far as that is known; its sources are not sent yet. */
export interface Order {
  readonly draft: Draft;
  readonly options: JsonRecord;
  readonly filled: readonly Filled[];
  readonly alwaysHasOpts: boolean;
}

/**
 * @param capability undefined: the request goes as written.
 * @throws UsageError with a line for each thing that the model does not take.
 */
export async function orderFrom(draft: Draft, capability: Capability | undefined): Promise<Order> {
  const operations = capability?.operations ?? [];
  const known = operations.length > 0 ? knownOptions(operations) : undefined;
  const order: Order = {
    draft,
    options: { ...draft.moreOptions, ...textOptions(draft, known) },
    filled: fillAll(draft.inputs, {
      model: draft.model,
      known: known && [...known.keys()],
      inline: draft.inline,
    }),
    alwaysHasOpts: operations.some(({ schema }) => needs(schema, 'opts')),
  };
  if (operations.length === 0) return order;
  const { violationsOf } = await import('./violations.js');
  // What section 2.11 gives to every job is not the model's to refuse.
  const ofTheModel = { ...order, draft: { ...draft, strict: undefined, webhookUrl: undefined } };
  const violations = violationsOf(operations, {
    body: { ...bodyWith(ofTheModel, () => 'source') },
    standIns: new Set(order.filled.map(({ option }) => option)),
    model: draft.model,
  });
  if (violations.length > 0) throw misfit(draft, violations);
  return order;
}

interface Rooted {
  readonly option: KnownOption;
  readonly root: JsonRecord;
}

/** The options of all ways to use the model. */
function knownOptions(operations: Capability['operations']): Map<string, Rooted> {
  const known = new Map<string, Rooted & { readonly schemas: JsonRecord[] }>();
  for (const { schema: root } of operations) {
    for (const option of optionsOf(root)) {
      const schemas = known.get(option.name)?.schemas ?? [];
      for (const schema of option.schemas) schemas.push(schema);
      const first = known.get(option.name)?.root ?? root;
      known.set(option.name, { option: { ...option, schemas }, root: first, schemas });
    }
  }
  return known;
}

function textOptions(draft: Draft, known: Map<string, Rooted> | undefined): JsonRecord {
  // No plain object: an option may be called __proto__, too.
  const values = new Map<string, unknown>();
  for (const { name, text, isFile } of draft.options) {
    const rooted = known?.get(name);
    const schemas = rooted?.option.schemas ?? [];
    const read = isFile ? coerceContent : coerce;
    const value = read(name, text, schemas, rooted?.root ?? {});
    if (!values.has(name)) {
      values.set(name, value);
    } else if (typesOf(schemas).has('array')) {
      values.set(name, [...asList(values.get(name)), ...asList(value)]);
    } else {
      throw new UsageError(`--opt ${name} is given twice`, { code: 'usage' });
    }
  }
  return Object.fromEntries(values);
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? listOf(value) : [value];
}

/** More than a person reads at once. */
const mostLines = 30;

function misfit({ model }: Draft, violations: readonly string[]): UsageError {
  const more = violations.length - mostLines;
  const lines = [
    ...violations.slice(0, mostLines),
    ...(more > 0 ? [`and ${String(more)} more`] : []),
  ].map((line) => `  ${line}`);
  const message =
    violations.length === 1
      ? (violations[0] ?? '')
      : `the request does not fit ${model}:\n${lines.join('\n')}`;
  return new UsageError(message, {
    code: 'invalid_options',
    hint: `see what it takes: \`svc generate ${model} --help\``,
  });
}

/** The body, with what stands for each source; of an option that holds several, in order. */
function bodyWith(
  { draft, options, filled, alwaysHasOpts }: Order,
  valueOf: (source: Filled, index: number) => string,
): MediaBody {
  const opts: Record<string, unknown> = { ...options };
  for (const [index, source] of filled.entries()) {
    const { option, isList } = source;
    const value = valueOf(source, index);
    if (isList) opts[option] = [...asList(opts[option] ?? []), value];
    else if (Object.hasOwn(opts, option)) throw bothWays(option);
    else opts[option] = value;
  }
  const hasOpts = alwaysHasOpts || Object.keys(opts).length > 0;
  const { model, prompt, strict, webhookUrl } = draft;
  return {
    model,
    ...(prompt === undefined ? {} : { prompt }),
    ...(hasOpts ? { opts } : {}),
    ...(strict ? { strict } : {}),
    ...(webhookUrl === undefined ? {} : { webhook_url: webhookUrl }),
  };
}

function bothWays(option: string): UsageError {
  return new UsageError(`${option} is given both as an option and by --input`, { code: 'usage' });
}

/** A request whose sources are where the service can read them. */
export interface Ready {
  readonly body: MediaBody;
  /** The body as it travels, with more fields. */
  payload(more?: Partial<MediaBody>): Payload;
}

/**
 * Uploads what has to be uploaded.
 * @throws what `uploadFile` throws; an upload that broke off is a NetworkError, for it costs nothing.
 */
export async function sendSources(client: Client, order: Order): Promise<Ready> {
  const values: string[] = [];
  const inline = new Map<string, Base64Source>();
  for (const { source, form } of order.filled) {
    if (source.at === 'url') {
      values.push(source.url);
    } else if (form === 'base64') {
      values.push(placed(source, inline));
    } else {
      values.push(await uploaded(client, source));
    }
  }
  return readyWith(order, values, inline);
}

/** What stands for a source until the body is sent. */
function placed(source: Base64Source, inline: Map<string, Base64Source>): string {
  const placeholder = `svc-source-${randomUUID()}`;
  inline.set(placeholder, source);
  return placeholder;
}

/**
 * The same for a dry run, which sends nothing: words stand for the ids of files.
 * @param isWhole the content of files goes along; else words stand for it, too.
 */
export function withoutSending(order: Order, isWhole: boolean): Ready {
  const inline = new Map<string, Base64Source>();
  const values = order.filled.map(({ source, form }) => {
    if (source.at === 'url') return source.url;
    if (form !== 'base64') return `(the id of ${nameOf(source)})`;
    return isWhole ? placed(source, inline) : `(${nameOf(source)} in base64)`;
  });
  return readyWith(order, values, inline);
}

function readyWith(
  order: Order,
  values: readonly string[],
  inline: ReadonlyMap<string, Base64Source>,
): Ready {
  const body = bodyWith(order, (_source, index) => values[index] ?? '');
  return { body, payload: (more = {}) => payloadOf({ ...body, ...more }, inline) };
}

async function uploaded(
  client: Client,
  source: Exclude<Filled['source'], { at: 'url' }>,
): Promise<string> {
  const name = nameOf(source);
  const content = source.at === 'file' ? source : source.bytes;
  try {
    return (await uploadFile(client, { content, name, type: source.mediaType })).id;
  } catch (error) {
    if (!(error instanceof OutcomeUnknown)) throw error;
    throw new NetworkError(`the upload of ${name} broke off: no job was started`, {
      code: error.code,
      hint: 'run it again',
      cause: error,
    });
  }
}

/**
 * A hash of what is wanted, whatever it costs and wherever its files were uploaded to: the same
 * command gives the same wish.
 */
export async function wishOf(order: Order): Promise<string> {
  const sources: string[] = [];
  for (const { source } of order.filled) {
    if (source.at === 'url') sources.push(source.url);
    else if (source.at === 'stdin')
      sources.push(createHash('sha256').update(source.bytes).digest('hex'));
    else sources.push(await fileHash(source.path));
  }
  const body = bodyWith(order, (_source, index) => sources[index] ?? '');
  return requestHash({ body, headers: order.draft.headers });
}
