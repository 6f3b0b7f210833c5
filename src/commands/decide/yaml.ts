/** YAML, in a file of its own: it takes 110 KB that only `--questions` needs. */
import { isScalar, parseDocument, visit, YAMLError, type Document } from 'yaml';
import { UsageError } from '../../errors.js';
import { plainText } from '../../lib/plain-text.js';

/** @param name what to call the text. @throws UsageError when it is no YAML. */
export function yamlIn(text: string, name: string): unknown {
  // The core schema makes no dates and no yes out of what people write. The parser would compare
  // each key with every other, which takes minutes for a long text.
  const document = parseDocument(text, { schema: 'core', uniqueKeys: false, logLevel: 'error' });
  const [fault] = document.errors;
  if (fault) throw noYaml(name, fault);
  try {
    assertUniqueKeys(document, name);
    const value: unknown = document.toJS();
    return value;
  } catch (cause) {
    // An alias that leads nowhere, or to far too much, is a ReferenceError; too deep is a RangeError.
    const isTheirs = [YAMLError, ReferenceError, RangeError].some((kind) => cause instanceof kind);
    throw isTheirs && cause instanceof Error ? noYaml(name, cause) : cause;
  }
}

/** Of two that are called alike, one would be lost. */
function assertUniqueKeys(document: Document, name: string): void {
  visit(document, {
    Map: (_place, { items }) => {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        const text = isScalar(key) ? String(key.value) : key;
        if (seen.has(text)) {
          throw invalid(`--questions: ${name} has the key ${quoted(String(text))} twice`);
        }
        seen.add(text);
      }
    },
  });
}

function noYaml(name: string, cause: Error): UsageError {
  const [reason = ''] = cause.message.split('\n');
  const told = plainText(reason.replace(/:$/, ''), 200);
  return invalid(`--questions: ${name} is neither JSON nor YAML: ${told}`, cause);
}

function quoted(text: string): string {
  return JSON.stringify(plainText(text, 60));
}

function invalid(message: string, cause?: Error): UsageError {
  return new UsageError(message, { code: 'invalid_questions', cause });
}
