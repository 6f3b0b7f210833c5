/** The request of a job, put together by the schema of its model, and its sources on their way. */
import { randomUUID } from 'node:crypto';
import type { Client } from '../api/client.js';
import { uploadFile } from '../api/files.js';
import type { Capability } from '../api/media/capabilities.js';
import type { MediaBody } from '../api/media/submit.js';
import type { Payload } from '../api/prepare.js';
import type { GlobalFlags } from '../context.js';
import { NetworkError, NothingSent, OutcomeUnknown, UsageError } from '../errors.js';
import { jsonBody } from '../http/request-body.js';
import type { StreamedBody, Transport } from '../http/types.js';
import { requestHash } from '../jobs/once.js';
import { fieldText, keepDigits, listOf, toJson, withDigits, type JsonRecord } from '../lib/json.js';
import { plainText } from '../lib/plain-text.js';
import { coerce, needs, optionsOf, typesOf, type KnownOption } from './model-options.js';
import { sourceHash, fillAll, nameOf } from './sources.js';
import type { FilledOption, LocalSource, SourceInput } from './sources.js';

/** What the line asks for, before anything is known of the model. */
export interface MediaLine {
  readonly model: string;
  /** Empty where there is none. */
  readonly prompt: string;
  /** Options of the command line, which win over those of --opts. */
  readonly texts: readonly OptionText[];
  /** Those of --opts. */
  readonly moreOptions: JsonRecord;
  readonly inputs: readonly SourceInput[];
  /** --inline: files go within the request. */
  readonly inline: boolean;
  /** Where the model takes either, files go within the request: --curl has one command then. */
  readonly prefersInline: boolean;
  readonly strict: boolean | undefined;
  readonly webhookUrl: string | undefined;
  /** More headers of the job; `{brand}` is part of their names. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A value of --opt. */
export interface OptionText {
  readonly name: string;
  readonly text: string;
  /** Whether it was read from a file. */
  readonly isFile: boolean;
}

/** A request that fits its model, as far as that is known; its sources are not sent yet. */
export interface FittedRequest extends MediaLine {
  /** The options of the body, without the sources. */
  readonly options: JsonRecord;
  readonly filled: readonly FilledOption[];
  /** Whether the body has `opts` even if they are empty. */
  readonly alwaysHasOpts: boolean;
}

/** A request whose sources have been sent, or are part of its body. */
export interface ReadyRequest {
  /** The client to send it with: under --curl it shows the uploads too. */
  readonly client: Client;
  readonly body: MediaBody;
  /** The body as it travels, with more fields. */
  readonly payload: (
    more?: Partial<MediaBody>,
  ) => Payload & { readonly body: string | StreamedBody };
}

const maxLines = 30;

/** Without a capability it goes as written. @throws UsageError with a line for each fault */
export async function fit(
  request: MediaLine,
  capability: Capability | undefined,
): Promise<FittedRequest> {
  const schemas = (capability?.operations ?? []).map(({ schema }) => schema);
  const options = optionsOf(schemas);
  const known = schemas.length > 0 ? options.map(({ name }) => name) : undefined;
  const filled = fillAll(request.inputs, { ...request, known });
  const typed = textOptions(request, options);
  const fitted = {
    ...request,
    options: withDigits({ ...request.moreOptions, ...typed }, request.moreOptions),
    filled,
    alwaysHasOpts: schemas.some((schema) => needs(schema, 'opts')),
  };
  if (!capability || !known) return fitted;
  const { model } = request;
  const { violationsOf } = await import('./violations.js');
  // Options that section 2.11 defines for every job are not checked against the model.
  const ofTheModel = { ...fitted, strict: undefined, webhookUrl: undefined };
  const violations = violationsOf(capability.operations, {
    body: { ...bodyWith(ofTheModel, Array<string>(filled.length).fill('source')) },
    standIns: new Set(filled.map(({ option }) => option)),
    model,
  });
  if (violations.length === 0) return fitted;
  const more = violations.length - maxLines;
  const lines = violations.slice(0, maxLines);
  if (more > 0) lines.push(`and ${String(more)} more`);
  if (lines.length > 1) lines.unshift(`the request does not fit ${model}:`);
  const hint = `see its options: \`svc generate ${model} --help\``;
  throw new UsageError(lines.join('\n  '), { code: 'invalid_options', hint });
}

function textOptions({ texts }: MediaLine, known: readonly KnownOption[]): JsonRecord {
  // No plain object: an option may be called __proto__, too.
  const values: Record<string, unknown> = { __proto__: null };
  for (const { name, text, isFile } of texts) {
    const shape = known.find((option) => option.name === name) ?? { schemas: [], items: [] };
    const value = coerce(name, text, shape, isFile);
    const isAgain = name in values;
    if (isAgain && !typesOf(shape.schemas).has('array')) {
      throw new UsageError(`--opt ${name} is given twice`);
    }
    values[name] = isAgain ? joined(values[name], value) : value;
    keepDigits(values, name, text.trim());
  }
  return values;
}

function joined(...parts: unknown[]): unknown[] {
  const list: unknown[] = [];
  for (const part of parts.map((one) => (Array.isArray(one) ? listOf(one) : [one]))) {
    for (const [place, item] of part.entries()) {
      keepDigits(list, String(list.push(item) - 1), fieldText(part, place));
    }
  }
  return list;
}

/** The body, with the value for each source; an option for several gets them in order. */
function bodyWith(request: FittedRequest, values: readonly string[]): MediaBody {
  const { model, prompt, filled, alwaysHasOpts, strict, webhookUrl } = request;
  const opts: Record<string, unknown> = { ...request.options };
  for (const [index, { option, isList }] of filled.entries()) {
    const value = values[index];
    if (!isList && Object.hasOwn(opts, option)) {
      throw new UsageError(`${option} is given both as an option and by --input`);
    }
    opts[option] = isList ? [opts[option] ?? [], value].flat() : value;
  }
  return {
    model,
    ...(prompt === '' ? {} : { prompt }),
    ...(alwaysHasOpts || Object.keys(opts).length > 0 ? { opts } : {}),
    ...(strict ? { strict: true } : {}),
    ...(webhookUrl === undefined ? {} : { webhook_url: webhookUrl }),
  };
}

/** Uploads local files; under --dry-run placeholders stand for files and their ids. */
export async function sendSources(
  client: Client,
  request: FittedRequest,
  { dryRun, curl }: GlobalFlags,
): Promise<ReadyRequest> {
  const values: string[] = [];
  const inline = new Map<string, LocalSource>();
  const uploads = new Map<string, LocalSource>();
  for (const { source, form } of request.filled) {
    const [isInline, name] = [form === 'base64', nameOf(source)];
    const placeholder = `svc-source-${randomUUID()}`;
    if (source.at === 'url') values.push(source.url);
    else if (dryRun && !curl) values.push(isInline ? `(${name} in base64)` : `(the id of ${name})`);
    else if (isInline || curl) {
      (isInline ? inline : uploads).set(placeholder, source);
      values.push(placeholder);
    } else values.push(await uploaded(client, source));
  }
  const body = bodyWith(request, values);
  return {
    client: uploads.size === 0 ? client : showingUploads(client, uploads),
    body,
    payload: (more: Partial<MediaBody> = {}) => ({
      contentType: 'application/json',
      body: jsonBody(toJson({ ...body, ...more }), inline),
    }),
  };
}

/** --curl: the uploads come first, and the shell sends no request before their ids are set. */
function showingUploads(client: Client, uploads: ReadonlyMap<string, LocalSource>): Client {
  const commandFor = async (sending: Promise<unknown>): Promise<string> => {
    const error = await sending.catch((caught: unknown) => caught);
    if (error instanceof NothingSent && 'shell' in error.shown) return error.shown.shell;
    throw error;
  };
  const transport: Transport = async (request) => {
    let command = await commandFor(client.transport(request));
    const before: string[] = [];
    for (const [placeholder, source] of uploads) {
      const name = before.length === 0 ? 'FILE_ID' : `FILE_ID_${String(before.length + 1)}`;
      const what = `# Uploads ${plainText(nameOf(source), 100)}: set ${name} to the id in the answer,`;
      const upload = await commandFor(uploaded(client, source));
      before.push(`${what} as in ${name}=ID, before the last command.\n${upload}\n`);
      command = command.replace(placeholder, `'"\${${name}:?}"'`);
    }
    throw new NothingSent({ shell: [...before, command].join('\n') });
  };
  return { ...client, transport };
}

async function uploaded(client: Client, source: LocalSource): Promise<string> {
  const name = nameOf(source);
  const content = source.at === 'file' ? source : source.bytes;
  try {
    return (await uploadFile(client, { content, name, type: source.mediaType })).id;
  } catch (error) {
    if (!(error instanceof OutcomeUnknown)) throw error;
    throw new NetworkError(`the upload of ${name} was interrupted; no job was started`, {
      hint: 'run it again',
      cause: error,
    });
  }
}

/** A hash of the request, independent of its price and of the ids of its uploads. */
export async function hashOf(request: FittedRequest): Promise<string> {
  const sources: string[] = [];
  for (const { source } of request.filled) sources.push(await sourceHash(source));
  return requestHash({ body: bodyWith(request, sources), headers: request.headers });
}
