/** YAML, in its own file: it takes 110 KB that only `--questions` and templates need. */
import { isScalar, parseDocument, YAMLError, type Node } from 'yaml';
import { UsageError, type ErrorCode } from '../errors.js';
import { plainText } from '../lib/plain-text.js';

export { stringify } from 'yaml';

/** @param name what the text is, such as `--questions: FILE` */
export function yamlIn(text: string, name: string, code: ErrorCode): unknown {
  let twice = '';
  const uniqueKeys = (...keys: readonly Node[]) => {
    const [one, other] = keys.map((key) => (isScalar(key) ? String(key.value) : key));
    if (typeof one === 'string' && one === other) twice = JSON.stringify(plainText(one, 60));
    return one === other;
  };
  try {
    // The core schema does not turn plain text into dates or booleans such as yes.
    const document = parseDocument(text, { schema: 'core', uniqueKeys, logLevel: 'error' });
    const [fault] = document.errors;
    if (fault) throw fault;
    const value: unknown = document.toJS();
    return value;
  } catch (cause) {
    // An alias to nothing, or to far too much, is a ReferenceError; too much depth is a RangeError.
    const isYamlError = [YAMLError, ReferenceError, RangeError].some(
      (kind) => cause instanceof kind,
    );
    if (!isYamlError || !(cause instanceof Error)) throw cause;
    const [reason = ''] = cause.message.split('\n');
    const words =
      twice === ''
        ? `is neither JSON nor YAML: ${plainText(reason.replace(/:$/, ''), 200)}`
        : `has the key ${twice} twice`;
    throw new UsageError(`${name} ${words}`, { code, cause });
  }
}
