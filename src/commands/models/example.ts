/** A command that uses a model, to be typed as it stands. */
import type { Capability } from '../../api/media/capabilities.js';
import type { ModelFacts } from '../../api/model-facts.js';
import type { Context } from '../../cli/context.js';
import { mediaKinds } from '../../contract/enums.js';
import { listOf, recordOf } from '../../lib/json.js';
import { shellWord } from '../../lib/names.js';

export interface Usable {
  readonly facts: ModelFacts;
  /** The catalog of text models has it. */
  readonly isText: boolean;
  readonly capability: Capability | undefined;
}

/** Undefined when it is not clear what the model is for. */
export function exampleFor(
  { facts, isText, capability }: Usable,
  onward: Context['onward'],
): string | undefined {
  const id = shellWord(facts.id);
  const type = facts.type?.toLowerCase() ?? '';
  if (type.includes('embed')) return `${onward('svc embed')} -m ${id} "some text"`;
  if (type.includes('decision')) {
    return `${onward('svc decide')} -m ${id} --state "it rains" --noul umbrella="Is an umbrella of use?"`;
  }
  const isMedia = capability !== undefined || mediaKinds.some((kind) => kind === type);
  if (isMedia)
    return `${onward('svc generate')} ${id} ${takesPromptAlone(capability) ? '"a lighthouse"' : '--help'}`;
  const speaks = isText || /^(text|chat|llm|language)/.test(type) || facts.outputs.includes('text');
  return speaks ? `${onward('svc chat')} -m ${id} "Hello"` : undefined;
}

/** Whether the words of a prompt are all that it must be given; otherwise its help tells the rest. */
function takesPromptAlone(capability: Capability | undefined): boolean {
  const [operation] = capability?.operations ?? [];
  if (!operation || capability?.operations.length !== 1) return false;
  const { required, anyOf, oneOf, allOf, properties } = operation.schema;
  if ([anyOf, oneOf, allOf].some((branches) => branches !== undefined)) return false;
  const needed = listOf(required);
  const opts = recordOf(recordOf(properties)['opts']);
  return needed.includes('prompt') && !needed.includes('opts') && opts['anyOf'] === undefined;
}
