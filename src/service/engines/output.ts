/** Brings an answer into the form that the request demands. */
import { isRecord } from '../../lib/json.js';
import { badRequest } from '../failure.js';
import type { OutputForm } from './types.js';

/**
 * The text as it is, or JSON of the demanded form: the text itself when it already is that,
 * else `object` for plain JSON, or a made-up value of the schema that carries the text.
 */
export async function inForm(
  output: OutputForm,
  text: string,
  object: Readonly<Record<string, unknown>>,
): Promise<string> {
  if (output.form === 'text') return text;
  const { asSchema, SchemaTrouble } = await import('./schema/schema.js');
  const parsed = parseJson(text);
  if (output.form === 'json') return isRecord(parsed) ? text : JSON.stringify(object);
  const [{ bounded }, { matches }, { sample }] = await Promise.all([
    import('./schema/bounded.js'),
    import('./schema/matches.js'),
    import('./schema/sample.js'),
  ]);
  try {
    const schema = asSchema(output.schema);
    return bounded(() =>
      parsed !== undefined && matches(parsed, schema, schema)
        ? text
        : JSON.stringify(sample(schema, text)),
    );
  } catch (error) {
    if (!(error instanceof SchemaTrouble)) throw error;
    throw badRequest(
      `local models cannot make up a value for the schema: ${error.message}`,
      'response_format',
    );
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
