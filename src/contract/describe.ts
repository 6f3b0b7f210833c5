/** Derives the service's OpenAPI description from the rows (sections 4.10 and 9). */
import * as z from 'zod/mini';
import type { Brand } from './brand.js';
import { onceByKey, type Endpoint, statusMeanings, unlistedStatuses } from './endpoint.js';
import { endpoints } from './index.js';

/** An OpenAPI 3.0.3 document as JSON, with the brand's identifiers in place of `{brand}`. */
export function describeOpenApi({ brand }: { brand: Brand }) {
  const paths: Record<string, Record<string, ReturnType<typeof operation>>> = {};
  for (const row of endpoints) {
    const path = (paths[brand.path(row.path)] ??= {});
    path[row.method.toLowerCase()] = operation(row, brand);
  }
  const bearer = {
    type: 'http',
    scheme: 'bearer',
    description: `An API key, which begins with ${brand.keyPrefix}`,
  };
  const description = 'The same API key';
  const apiKey = { type: 'apiKey', in: 'header', name: 'x-api-key', description };
  const session = {
    type: 'apiKey',
    in: 'cookie',
    name: brand.sessionCookie,
    description: 'A session of the web cabinet; its mechanism is not documented',
  };
  return {
    openapi: '3.0.3',
    info: {
      title: 'Model access, media and support',
      version: '1.0.0',
      description: 'Money is in RUB unless a field says otherwise.',
    },
    servers: [{ url: '/' }],
    paths,
    components: { securitySchemes: { bearer, apiKey, session } },
  };
}

function operation(row: Endpoint, brand: Brand) {
  const [domain = row.id] = row.id.split('.');
  const security = [...schemesOf[row.auth], ...(row.orSession ? ['session'] : [])];
  return {
    operationId: row.id,
    tags: [domain],
    summary: row.summary,
    description: `Section ${row.section} of the interface specification.`,
    ...(row.deprecated ? { deprecated: true } : {}),
    security: security.map((scheme) => ({ [scheme]: [] })),
    parameters: parameters(row, brand),
    ...(row.body ? { requestBody: requestBody(row.body, row) } : {}),
    responses: Object.fromEntries(
      statusesOf(row).map((status) => [status, response(row, status, brand)] as const),
    ),
  };
}

const schemesOf: Readonly<Record<Endpoint['auth'], readonly string[]>> = {
  bearer: ['bearer'],
  key: ['bearer', 'apiKey'],
  session: ['session'],
  none: [],
  signature: [],
};

function parameters({ path, params = {}, query, headers = {} }: Endpoint, brand: Brand) {
  const names = Array.from(path.matchAll(/\{(?!brand\})(\w+)\}/g), ([, name = '']) => name);
  const { properties = {}, required = [] } = query ? schemaOf(query, 'input') : {};
  const schema = { type: 'string' };
  return [
    ...names.map((name) => {
      const description = params[name] ? { description: params[name] } : {};
      return { name, in: 'path', required: true, ...description, schema };
    }),
    ...Object.entries(properties).map(([name, shape]) => {
      return { name, in: 'query', required: required.includes(name), schema: shape };
    }),
    ...Object.entries(headers).map(([name, description]) => {
      return { name: brand.path(name), in: 'header', description, schema };
    }),
  ];
}

function requestBody(schema: z.ZodMiniType, { bodyKind = 'json', files }: Endpoint) {
  const fields = schemaOf(schema, 'input');
  const json = { 'application/json': { schema: fields } };
  const form = { 'multipart/form-data': { schema: files ? withFiles(fields, files) : fields } };
  const content = { json, multipart: form, 'json-or-multipart': { ...json, ...form } }[bodyKind];
  return { required: true, content };
}

function withFiles(
  fields: ReturnType<typeof schemaOf>,
  { field, maxBytes, maxCount, required, types }: NonNullable<Endpoint['files']>,
) {
  const rules = [
    'A file',
    ...(maxBytes === undefined ? [] : [`at most ${maxBytes} bytes`]),
    ...(types ? [types.join(' or ')] : []),
  ];
  const file = { type: 'string', format: 'binary', description: rules.join(', ') };
  const list = { type: 'array', items: file, maxItems: maxCount };
  return {
    ...fields,
    properties: { ...fields.properties, [field]: maxCount === 1 ? file : list },
    // OpenAPI 3.0 does not allow an empty list of required fields.
    ...(required ? { required: [...(fields.required ?? []), field] } : {}),
  };
}

/** All statuses of a row: section 4 lists some, sections 5 and 7 add the others. */
export function statusesOf(row: Endpoint): readonly number[] {
  const { auth, body, query, headers, statuses, moreStatuses = [] } = row;
  const all = [
    ...statuses,
    ...moreStatuses,
    ...unlistedStatuses.any,
    ...(auth === 'bearer' || auth === 'key' ? unlistedStatuses.keyed : []),
    ...(body ? unlistedStatuses.withBody : []),
    ...(query ? unlistedStatuses.withQuery : []),
    ...(headers === onceByKey ? unlistedStatuses.once : []),
  ];
  return [...new Set(all)];
}

function response(row: Endpoint, status: number, brand: Brand) {
  const description = row.statusNotes?.[status] ?? statusMeanings[status] ?? String(status);
  const headers: Record<string, unknown> = {};
  if (status === 429) {
    headers['retry-after'] = { description: 'seconds to wait', schema: { type: 'integer' } };
  }
  for (const [name, description] of Object.entries(row.replyHeaders ?? {})) {
    headers[brand.path(name)] = { description, schema: { type: 'string' } };
  }
  // Section 7: where the body of a refusal is not shown, none is described.
  const content = status < 300 ? replyContent(row) : row.refusal && jsonOf(row.refusal);
  return {
    description: brand.path(description),
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
    ...(content ? { content } : {}),
  };
}

function replyContent({ returns, bytesTypes = [], stream }: Endpoint) {
  if (returns !== 'bytes') {
    const events = stream ? { 'text/event-stream': { schema: { type: 'string' } } } : {};
    return { ...jsonOf(returns), ...events };
  }
  const bytes = { schema: { type: 'string', format: 'binary' } };
  return Object.fromEntries(bytesTypes.map((type) => [type, bytes]));
}

const jsonOf = (reply: z.ZodMiniType) => {
  return { 'application/json': { schema: schemaOf(reply, 'output') } };
};

function schemaOf(schema: z.ZodMiniType, io: 'input' | 'output') {
  return { ...z.toJSONSchema(schema, { target: 'openapi-3.0', io }) };
}
