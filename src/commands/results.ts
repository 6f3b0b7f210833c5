/**
 * The JSON of every command as schemas: `svc help --json` lists their fields, and MCP their stable part. Loaded only
 * where they are asked for. What the service sends has the schema of its row.
 */
import * as z from 'zod/mini';
import type { Command } from '../command.js';
import type { Endpoint } from '../contract/endpoint.js';
import { endpoints, type EndpointId } from '../contract/index.js';
import { flag, maybe, number, text } from '../contract/fields.js';

const rows = new Map<string, Endpoint>(endpoints.map((row) => [row.id, row]));

const open = z.looseObject;
const string = z.string();
const count = z.number();
const bool = z.boolean();
const unknown = z.unknown();
const either = (...forms: readonly [z.ZodMiniType, z.ZodMiniType, ...z.ZodMiniType[]]) =>
  z.union(forms);
/** One, or an array where several were asked for. */
const oneOrMore = (form: z.ZodMiniType) => either(form, z.array(form));

/** A reply that svc prints with what it adds. */
function reply(id: EndpointId, added: z.core.$ZodLooseShape = {}): z.ZodMiniType {
  const { returns } = rows.get(id) ?? {};
  if (returns === undefined || returns === 'bytes') throw new Error(`${id} returns no JSON`);
  return Object.keys(added).length === 0 ? returns : z.intersection(returns, open(added));
}

const cost = open({ priceRub: number, balanceRub: number });
const charged = { cost, ids: open({ requestId: text, generationId: text }) };
const tokens = open({ inputTokens: number, outputTokens: number });
const failure = maybe(open({ code: text, message: text }));
const file = open({ path: text, bytes: number, mediaType: text });
const written = open({ files: z.array(file) });

const route = { requestedModel: text, effectiveModel: text, provider: text };
const outcome = { errorCode: text, failMsg: text, retryGuidance: text };
const times = { createdAt: text, finishedAt: text, resultsExpireAt: text };
const about = { ...route, ...outcome, ...times, model: text, status: text, results: number };
const ofJob = { id: text, state: string, ...about, files: maybe(z.array(file)), cost };
const job = open({ ...ofJob, ids: maybe(charged.ids), resumed: flag, error: failure });
const listedJob = open({ ...ofJob, key: string, kind: string, prompt: text, profile: text });
const shownJob = open({ ...ofJob, id: string, key: text, prompt: text, reply: unknown });

const found = z.array(open({ title: text, url: text, snippet: text }));
const answer = open({
  ...{ id: text, model: text, text: string, reasoning: text, finishReason: text, complete: flag },
  toolCalls: z.array(open({ id: text, name: text, arguments: unknown })),
  ...{ usage: maybe(tokens), search: maybe(open({ query: string, results: found })), ...charged },
  ...{ conversation: text, turn: number, ms: number, code: text, error: failure },
});

const turnFacts = { name: text, format: text, service: text, complete: flag, finishReason: text };
const turn = { id: count, conversation: text, createdAt: string, model: text, ...turnFacts };
const logged = { ...turn, question: text, answer: text, usage: maybe(tokens), cost, ms: number };
const begun = { id: string, name: text, changedAt: string };
const conversation = open({ ...begun, turns: count, question: text });
const messages = z.array(open({ role: string, parts: z.array(open({ type: string })) }));
const sums = open({ turns: count, usage: tokens, cost, unknownPrices: number });

const named = { name: string, path: text };
const setting = { name: string, value: unknown };
const states = { done: count, failed: count, unknown: count };
const fromTo = { requests: count, inputTokens: number, fromRub: number, toRub: number };
const ofModels = z.array(open({ model: text, ...fromTo }));
const estimate = open({ ...fromTo, refused: number, models: ofModels });
const periods = { chargedRub: number, spentRub: number, reservedRub: number, leftRub: number };
const period = maybe(open({ ...periods, budgetRub: number, resetsAt: text }));
const calls = { calls: number, usage: maybe(tokens), cost };
const spoken = { model: text, format: text, characters: number, pieces: number, reused: number };
const vectors = open({ ...written.shape, vectors: count, dimensions: number, cost });
const similarLines = z.array(open({ similarity: count, line: count, text: string }));
const similar = open({ query: string, compared: count, results: similarLines, cost });
const sent = open({
  ...{ total: count, ...states, left: count, inFlight: count, unsaved: count, maxCostRub: number },
  ...{ unknownIds: z.array(unknown), cost: open({ priceRub: number, inAllRub: number }) },
  ...{ perSecond: number, tokensPerSecond: number, leftSeconds: number },
});
const errors = z.array(open({ code: text, count: number, example: text }));
const report = open({
  ...{ ...states, missing: count, unpriced: count, attempts: count, usage: tokens, cost, errors },
  ...{ p50Ms: number, p95Ms: number, p99Ms: number },
});
const account = { profile: text, baseUrl: text, key: text, balanceRub: number };
const words = { name: string, words: z.array(string) };

/** By the path of the command, where it is not just the reply of one row that reads. */
const results: Readonly<Record<string, z.ZodMiniType>> = {
  chat: either(oneOrMore(answer), open({ input_tokens: count }), open(named)),
  'logs list': either(z.array(open({ ...logged, ids: open({ generationId: text }) })), sums),
  'logs show': oneOrMore(open({ ...logged, messages })),
  'logs branch': open({ id: string, name: text, follows: count }),
  'logs rename': open({ id: string, name: text }),
  'logs conversations': z.array(conversation),
  'logs delete': open({ deleted: count }),
  'templates list': z.array(open({ ...named, prompt: text })),
  'templates show': open({ ...named, parameters: z.array(unknown), fields: open({}) }),
  'templates edit': open(named),
  'templates delete': open({ name: string, deleted: bool }),
  generate: either(job, reply('media.price')),
  'jobs list': z.array(listedJob),
  'jobs show': shownJob,
  'jobs wait': z.array(job),
  'jobs download': z.array(job),
  'jobs extend': either(job, open({ tier: string, priceRub: number })),
  'jobs gallery': open({ ...written.shape, jobs: count }),
  'image create': either(job, reply('media.price')),
  'files upload': reply('files.upload'),
  speak: open({ ...written.shape, ...charged, ...spoken }),
  transcribe: open({ text: string, complete: bool, model: text, ...charged, reply: unknown }),
  'voices create': reply('voices.create'),
  'voices add-samples': reply('voices.addSamples'),
  'voices delete': reply('voices.delete'),
  search: reply('search.web', charged),
  embed: either(reply('embeddings.create', charged), vectors, similar),
  decide: reply('decisions.create', charged),
  'batch run': either(sent, estimate),
  'batch status': open({ files: z.array(open({ file: string, ...states, missing: count })) }),
  'batch report': report,
  'models show': reply('models.get'),
  login: open({ ...account, verified: bool, configFile: string }),
  logout: open({ removed: z.array(string) }),
  whoami: open({ ...account, profileSource: text, baseUrlSource: text, keySource: text }),
  'usage list': reply('billing.history', { complete: flag }),
  'usage chart': open({
    ...{ by: string, since: text, until: text, timeZone: text, total: open(calls) },
    data: z.array(open({ day: text, model: text, ...calls })),
  }),
  'budget set': open({ profile: string, ...setting }),
  'budget list': open({ day: period, month: period, unknown: z.array(open({})), timeZone: text }),
  'config list': open({
    configFile: string,
    settings: z.record(string, open({ value: unknown, source: text })),
  }),
  'config get': open({ ...setting, source: text }),
  'config set': open({ profile: string, ...setting }),
  'config unset': open({ profile: string, name: string, removed: bool }),
  'config profiles': z.array(open({ name: string, inUse: bool, baseUrl: text, key: text })),
  'config use': open({ profile: string }),
  'config path': open({ configFile: string, data: string, cache: string }),
  'webhooks set': reply('webhooks.set'),
  'tickets create': reply('tickets.create'),
  'tickets reply': reply('tickets.reply'),
  'tickets download': z.array(open({ id: text, path: text, bytes: number, mediaType: text })),
  'feedback create': reply('feedback.create'),
  doctor: z.array(open({ check: string, status: string, message: string, hint: text })),
  update: open({ version: text, by: text, path: text, command: text, download: text }),
  version: open({
    ...{ version: string, by: text, path: text, sums: text, verified: flag },
    differing: z.optional(z.array(string)),
  }),
  open: open({ path: string }),
  run: open({
    words: z.array(string),
    variables: z.array(open({ name: string, value: string })),
    unset: z.array(string),
    files: z.array(open({ path: string, contents: string })),
  }),
  do: open({ command: string, explanation: text, risk: text, ...charged }),
  'skills add': written,
  'alias set': open(words),
  'alias list': z.array(open(words)),
  'alias delete': open({ name: string, deleted: bool }),
};

/** The schema of what a command prints as JSON; undefined where that is none of svc's own. */
export function resultOf(path: string, { endpoints: asked = [] }: Pick<Command, 'endpoints'>) {
  const { retry, returns } = rows.get(asked.length === 1 ? asked.join() : '') ?? {};
  return results[path] ?? (retry === 'safe' && returns !== 'bytes' ? returns : undefined);
}

/**
 * Fields as `files[].path` and `string`; a type with ? may be missing or null. Undefined where they are not known, and
 * for a command that prints no JSON of its own.
 */
export function fieldsOf(path: string, command: Command): Record<string, string> | undefined {
  const fields = new Map<string, string>();
  for (const [name, type] of fieldsIn(resultOf(path, command) ?? open({}))) {
    // An array of several has the fields of the one.
    const isKnown = fields.has(name) || fields.has(name.replace('[].', ''));
    if (name !== '' && !isKnown) fields.set(name, type);
  }
  return fields.size === 0 ? undefined : Object.fromEntries(fields);
}

/** Each field below `at`. A JSON Schema would say the same, with 20 KB of code that each start reads. */
function* fieldsIn(schema: z.core.SomeType, at = '', mark = ''): Generator<[string, string]> {
  if (schema instanceof z.ZodMiniOptional || schema instanceof z.ZodMiniNullable) {
    yield* fieldsIn(schema.def.innerType, at, '?');
    return;
  }
  const parts = innerOf(schema, at);
  for (const [name, inner] of parts) yield* fieldsIn(inner, name, mark);
  const { type } = schema._zod.def;
  if (parts.length === 0) yield [at, (typeWords[type] ?? type) + mark];
}

const typeWords: Readonly<Record<string, string>> = { unknown: 'any', enum: 'string' };

/** What a schema is made of, each with its name. */
function innerOf(schema: z.core.SomeType, at: string): (readonly [string, z.core.SomeType])[] {
  if (schema instanceof z.ZodMiniUnion) return schema.def.options.map((form) => [at, form]);
  if (schema instanceof z.ZodMiniIntersection)
    return [schema.def.left, schema.def.right].map((form) => [at, form]);
  if (schema instanceof z.ZodMiniArray) return [[`${at}[]`, schema.def.element]];
  if (schema instanceof z.ZodMiniRecord) return [[`${at}.*`, schema.def.valueType]];
  if (!(schema instanceof z.ZodMiniObject)) return [];
  const start = at === '' ? '' : `${at}.`;
  return Object.entries(schema.def.shape).map(([name, inner]) => [start + name, inner]);
}
