/** YAML, in a file of its own: it takes 110 KB that only `--questions` needs. */
import { parse, YAMLError } from 'yaml';
import { UsageError } from '../../errors.js';
import { plainText } from '../../lib/plain-text.js';

/** @param name what to call the text. @throws UsageError when it is no YAML. */
export function yamlIn(text: string, name: string): unknown {
  try {
    // The core schema makes no dates and no yes out of what people write.
    const value: unknown = parse(text, { schema: 'core', logLevel: 'error' });
    return value;
  } catch (cause) {
    // An alias that leads nowhere, or to far too much, is a ReferenceError.
    if (!(cause instanceof YAMLError || cause instanceof ReferenceError)) throw cause;
    const [reason = ''] = cause.message.split('\n');
    throw new UsageError(
      `--questions: ${name} is neither JSON nor YAML: ${plainText(reason.replace(/:$/, ''), 200)}`,
      { code: 'invalid_questions', cause },
    );
  }
}
