/** Derives the service's OpenAPI description from the rows (sections 4.10 and 9). */
import * as z from 'zod/mini';
import type { Brand } from './brand.js';
import {
  onceByKey,
  type Endpoint,
  type Files,
  statusMeanings,
  unlistedStatuses,
} from './endpoint.js';
import { endpoints } from './index.js';

export type Json = Readonly<Record<string, unknown>>;

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: Json;
  readonly servers: readonly Json[];
  /** By path, then by method in lower case. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Json;
}

export interface Operation {
  /** The id of the row. */
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly deprecated?: true;
  readonly security: readonly Json[];
  readonly parameters: readonly Json[];
  readonly requestBody?: Json;
  /** By status. */
  readonly responses: Readonly<Record<string, Json>>;
}

/** Builds an OpenAPI 3.0.3 document, plain JSON, with the brand's identifiers in place of `{brand}`. */
export function describeOpenApi({ brand }: { brand: Brand }): OpenApiDocument {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const row of endpoints) {
    const path = (paths[brand.path(row.path)] ??= {});
    path[row.method.toLowerCase()] = operation(row, brand);
  }
  return {
    openapi: '3.0.3',
    info: {
      title: 'Model access, media and support',
      version: '1.0.0',
      description: 'Money is in RUB unless a field says otherwise.',
    },
    servers: [{ url: '/' }],
    paths,
    components: { securitySchemes: securitySchemes(brand) },
  };
}

function securitySchemes(brand: Brand): Json {
  return {
    bearer: {
      type: 'http',
      scheme: 'bearer',
      description: `An API key, which begins with ${brand.keyPrefix}`,
    },
    apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'The same API key' },
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: brand.sessionCookie,
      description: 'A session of the web cabinet; its mechanism is not documented',
    },
  };
}

function operation(row: Endpoint, brand: Brand): Operation {
  const [domain = row.id] = row.id.split('.');
  return {
    operationId: row.id,
    tags: [domain],
    summary: row.summary,
    description: `Section ${row.section} of the interface specification.`,
    ...(row.deprecated ? { deprecated: true } : {}),
    security: security(row),
    parameters: [...pathParameters(row), ...queryParameters(row), ...headerParameters(row, brand)],
    ...(row.body ? { requestBody: requestBody(row.body, row) } : {}),
    responses: responses(row, brand),
  };
}

function security({ auth, orSession }: Endpoint): readonly Json[] {
  const session = orSession ? [{ session: [] }] : [];
  switch (auth) {
    case 'bearer':
      return [{ bearer: [] }, ...session];
    case 'key':
      return [{ bearer: [] }, { apiKey: [] }, ...session];
    case 'session':
      return [{ session: [] }];
    case 'none':
    case 'signature':
      return [];
  }
}

function pathParameters({ path, params = {} }: Endpoint): readonly Json[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => name ?? []);
  return names
    .filter((name) => name !== 'brand')
    .map((name) => ({
      name,
      in: 'path',
      required: true,
      ...(params[name] ? { description: params[name] } : {}),
      schema: { type: 'string' },
    }));
}

function queryParameters({ query }: Endpoint): readonly Json[] {
  if (!query) return [];
  const { properties = {}, required = [] } = z.toJSONSchema(query, { ...dialect, io: 'input' });
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

function headerParameters({ headers = {} }: Endpoint, brand: Brand): readonly Json[] {
  return Object.entries(headers).map(([name, meaning]) => ({
    name: brand.path(name),
    in: 'header',
    description: meaning,
    schema: { type: 'string' },
  }));
}

function requestBody(schema: z.ZodMiniType, { bodyKind = 'json', files }: Endpoint): Json {
  const fields = requestSchema(schema);
  const json = { 'application/json': { schema: fields } };
  const multipart = { 'multipart/form-data': { schema: withFiles(fields, files) } };
  const content = {
    json,
    multipart,
    'json-or-multipart': { ...json, ...multipart },
  }[bodyKind];
  return { required: true, content };
}

function withFiles(fields: ReturnType<typeof requestSchema>, files: Files | undefined): Json {
  if (!files) return fields;
  const file = { type: 'string', format: 'binary', description: fileRules(files) };
  return {
    ...fields,
    properties: {
      ...fields.properties,
      [files.field]:
        files.maxCount === 1 ? file : { type: 'array', items: file, maxItems: files.maxCount },
    },
    // OpenAPI 3.0 does not take an empty list of required fields.
    ...(files.required ? { required: [...(fields.required ?? []), files.field] } : {}),
  };
}

function fileRules({ maxBytes, types }: Files): string {
  const size = maxBytes === undefined ? [] : [`at most ${maxBytes} bytes`];
  return ['A file', ...size, ...(types ? [types.join(' or ')] : [])].join(', ');
}

function responses(row: Endpoint, brand: Brand): Record<string, Json> {
  return Object.fromEntries(
    statusesOf(row).map((status) => [status, response(row, status, brand)] as const),
  );
}

/** Every status that a row may answer with: section 4 lists some, sections 5 and 7 add the others. */
export function statusesOf(row: Endpoint): readonly number[] {
  const { auth, body, query, headers, statuses, moreStatuses = [] } = row;
  const keyed = auth === 'bearer' || auth === 'key';
  const all = [
    ...statuses,
    ...moreStatuses,
    ...unlistedStatuses.any,
    ...(keyed ? unlistedStatuses.keyed : []),
    ...(body ? unlistedStatuses.withBody : []),
    ...(query ? unlistedStatuses.withQuery : []),
    ...(headers === onceByKey ? unlistedStatuses.once : []),
  ];
  return [...new Set(all)];
}

function response(row: Endpoint, status: number, brand: Brand): Json {
  const description = row.statusNotes?.[status] ?? statusMeanings[status] ?? String(status);
  const succeeded = status < 300;
  const headers = {
    ...(status === 429 ? { 'retry-after': integerHeader('seconds to wait') } : {}),
    ...replyHeaders(row, brand),
  };
  const content = succeeded ? replyContent(row) : refusalContent(row);
  return {
    description: brand.path(description),
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
    ...(content ? { content } : {}),
  };
}

function integerHeader(description: string): Json {
  return { description, schema: { type: 'integer' } };
}

function replyHeaders({ replyHeaders = {} }: Endpoint, brand: Brand): Json {
  return Object.fromEntries(
    Object.entries(replyHeaders).map(([name, description]) => [
      brand.path(name),
      { description, schema: { type: 'string' } },
    ]),
  );
}

function replyContent({ returns, bytesTypes = [], stream }: Endpoint): Json {
  if (returns === 'bytes') {
    const bytes = { schema: { type: 'string', format: 'binary' } };
    return Object.fromEntries(bytesTypes.map((type) => [type, bytes]));
  }
  return {
    'application/json': { schema: replySchema(returns) },
    ...(stream ? { 'text/event-stream': { schema: { type: 'string' } } } : {}),
  };
}

/** Section 7: where the body of a refusal is not shown, none is described. */
function refusalContent({ refusal }: Endpoint): Json | undefined {
  return refusal && { 'application/json': { schema: replySchema(refusal) } };
}

const dialect = { target: 'openapi-3.0' } as const;

function requestSchema(schema: z.ZodMiniType) {
  return { ...z.toJSONSchema(schema, { ...dialect, io: 'input' }) };
}

function replySchema(schema: z.ZodMiniType) {
  return { ...z.toJSONSchema(schema, { ...dialect, io: 'output' }) };
}
