/** The schema of an answer: a file, JSON, or `name, age int: in years`. */
import { stat } from 'node:fs/promises';
import { timedOut, UsageError } from '../../errors.js';
import { jsonOf, readJsonFile } from '../../files/named-file.js';
import { isRecord, type JsonRecord } from '../../lib/json.js';
import { plainText } from '../../lib/plain-text.js';
import type { ChatCall } from './question.js';

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
  const stats = await stat(source).catch(() => undefined);
  // What looks like a path is one, so that a mistyped name is refused.
  const isFile = stats?.isDirectory() === false || /^([^\s,:{]*[./\\]|$)/.test(source);
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
  const names = entries.map(([name]) => name);
  const doubled = names.find((name, at) => names.indexOf(name) < at);
  if (doubled !== undefined) throw invalid(flag, `two fields have the name ${doubled}`);
  return Object.fromEntries(entries);
}

function invalid(flag: string, why: string): UsageError {
  return new UsageError(`${flag}: ${why}`, { code: 'invalid_schema' });
}

async function assertValid(schema: JsonRecord, flag: string): Promise<void> {
  const { $schema: draft = '2020-12' } = schema;
  const isKnown = typeof draft === 'string' && draft.includes('2020-12');
  const rules = { ...schema, $schema: undefined, $async: undefined };
  const { faultsOf, faultsOfSchema } = await import('../../lib/schema-faults.js');
  const faults = isKnown
    ? faultsOfSchema(rules)
    : faultsOf((ajv) => {
        try {
          return ajv.compile(rules);
        } catch (error) {
          // Of other drafts, ajv's 2020 edition knows little more than that.
          if (error instanceof Error && 'missingRef' in error) throw error;
          return true;
        }
      });
  if (!faults) throw timedOut(`${flag}: the check of the schema`);
  if (faults[0]) throw invalid(flag, `the schema is not valid: ${faults[0]}`);
}
