/** The schema of an answer: a file, JSON, or `name, age int: in years`; turns that must fit it. */
import { stat } from 'node:fs/promises';
import { Answer } from '../../api/chat/answer.js';
import type { Piece } from '../../api/chat/pieces.js';
import type { ChatCall } from '../../api/chat/question.js';
import type { Client } from '../../api/client.js';
import type { Context } from '../../cli/context.js';
import { Incomplete, UsageError } from '../../errors.js';
import { jsonOf, readJsonFile } from '../../files/named-file.js';
import { isRecord, parsedJson, recordOf, type JsonRecord } from '../../lib/json.js';
import { plainText } from '../../lib/plain-text.js';
import type { End, Show } from './show.js';
import { runTurn, type Turn } from './turn.js';

/** @param isMulti the answer is an object with a list of `items` that fit the schema */
export async function namedSchema(source: string, isMulti: boolean): Promise<ChatCall['schema']> {
  const flag = isMulti ? '--schema-multi' : '--schema';
  const one = await schemaFrom(source, flag);
  const schema = isMulti ? listSchema(one) : one;
  await assertValid(schema, flag);
  const title = typeof one['title'] === 'string' ? one['title'] : 'answer';
  // The name of a schema consists of letters, digits, hyphens and underscores.
  return { name: title.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'answer', schema };
}

async function schemaFrom(source: string, flag: string): Promise<JsonRecord> {
  const isJson = source.trimStart().startsWith('{');
  const found = await stat(source).catch(() => undefined);
  // What looks like a path is one, so that a mistyped name is refused.
  const isFile = found?.isDirectory() === false || /^([^\s,:{]*[./\\]|$)/.test(source);
  if (!isFile && !isJson) return objectOf(shortFields(source, flag));
  const schema = isFile ? await readJsonFile(source, flag) : jsonOf(source, 'the schema', flag);
  if (isRecord(schema)) return schema;
  throw invalid(flag, `${source} is not a JSON Schema object`);
}

/** References start at the root, so definitions stay there. */
function listSchema({ $schema, $defs, definitions, ...one }: JsonRecord): JsonRecord {
  return { $schema, $defs, definitions, ...objectOf({ items: { type: 'array', items: one } }) };
}

function objectOf(properties: JsonRecord): JsonRecord {
  const required = Object.keys(properties);
  return { type: 'object', properties, required, additionalProperties: false };
}

const types: JsonRecord = { str: 'string', int: 'integer', float: 'number', bool: 'boolean' };

/** Fields such as `name` and `tags str[]: in English`, on lines or separated by commas. */
function shortFields(text: string, flag: string): JsonRecord {
  const fields = text.trim().split(text.trim().includes('\n') ? /\s*\n\s*/ : ',');
  const entries = fields.map((field): [string, JsonRecord] => {
    const [head = '', ...rest] = field.split(':');
    const [name = '', word = 'str', ...more] = head.trim().split(/\s+/);
    const one = word.replace(/\[\]$/, '');
    const isName = /^[\p{L}_][\p{L}\p{N}_-]*$/u.test(name) && more.length === 0;
    if (!isName || !Object.hasOwn(types, one)) {
      const hint = `a field is NAME TYPE: DESCRIPTION; the types are ${Object.keys(types).join(', ')}, str[] …`;
      const words = `${flag}: ${JSON.stringify(plainText(field, 60))} is not a field`;
      throw new UsageError(words, { code: 'invalid_schema', hint });
    }
    const type = { type: types[one] };
    const description = rest.join(':').trim() || undefined;
    return [name, { ...(one === word ? type : { type: 'array', items: type }), description }];
  });
  return Object.fromEntries(entries);
}

function invalid(flag: string, why: string): UsageError {
  return new UsageError(`${flag}: ${why}`, { code: 'invalid_schema' });
}

async function assertValid(schema: JsonRecord, flag: string): Promise<void> {
  const { $schema: draft = '2020-12', ...rules } = schema;
  // Of other drafts, ajv's 2020 edition knows nothing.
  if (typeof draft !== 'string' || !draft.includes('2020-12')) return;
  const { faultsOf } = await import('../generate/violations.js');
  const faults = faultsOf((ajv) => ajv.validateSchema(rules));
  if (faults?.[0]) throw invalid(flag, `the schema is not valid: ${faults[0]}`);
}

/** @throws Incomplete when the answer, which has been shown, does not fit */
export async function runChecked(context: Context, client: Client, turn: Turn, repairs: boolean) {
  const faults = await (repairs ? repaired : checked)(context, client, turn);
  if (faults === '') return;
  const hint = repairs ? undefined : '--repair asks the model once more';
  const message = `the answer does not fit the schema: ${faults}`;
  throw new Incomplete(message, { code: 'schema_mismatch', hint });
}

async function checked(context: Context, client: Client, turn: Turn): Promise<string> {
  const { text, toolCalls } = (await runTurn(context, client, turn)).answer;
  if (text === '' && toolCalls.length > 0) return '';
  const faults = await faultsIn(text, recordOf(turn.question.schema?.schema));
  if (!faults) context.out.note('The answer was not checked: its schema is too complex.');
  return faults?.join(', ') ?? '';
}

/** Holds the first answer back until it is known to fit. */
async function repaired(context: Context, client: Client, turn: Turn): Promise<string> {
  const { question, show } = turn;
  const pieces: Piece[] = [];
  let first: End = { cost: {}, ids: {} };
  const finish = (end: End) => {
    first = end;
    return Promise.resolve();
  };
  // It bounds what is held back.
  const kept = new Answer(true, true);
  const take = (piece: Piece) => {
    kept.add(piece);
    pieces.push(piece);
  };
  const held: Show = { ...show, kept, take, finish };
  const faults = await checked(context, client, { ...turn, show: held });
  if (faults === '') {
    for (const piece of pieces) {
      show.take(piece);
      await show.pace();
    }
    await show.flush();
    await show.finish(first);
    return faults;
  }
  context.out.note(`The answer does not fit the schema: ${faults}. Asking once more.`);
  const words = `This does not fit the JSON Schema: ${faults}. Answer with the corrected JSON only.`;
  const again = {
    ...question,
    messages: undefined,
    parts: [{ type: 'text', text: words } as const],
  };
  const ofBoth = (end: End): End => {
    const [before, after] = [first.cost.priceRub, end.cost.priceRub];
    const priceRub = before === undefined || after === undefined ? undefined : before + after;
    return { ...end, cost: { ...end.cost, priceRub }, repaired: true };
  };
  const last: Show = {
    ...show,
    finish: (end) => show.finish(ofBoth(end)),
    fail: async (end, error) => {
      await show.fail(ofBoth(end), error);
      // It has been paid for.
      if (!context.flags.json) context.out.error(kept.text);
    },
  };
  return checked(context, client, { ...turn, question: again, show: last });
}

/** What does not fit; undefined where that cannot be checked. */
async function faultsIn(answer: string, schema: JsonRecord) {
  const value = parsedJson(answer);
  if (value === undefined) return ['it is not JSON'];
  // All drafts are read as 2020-12.
  const rules = { ...schema, $schema: undefined, $async: undefined };
  const { faultsOf } = await import('../generate/violations.js');
  return faultsOf((ajv) => ajv.validate(rules, value));
}
