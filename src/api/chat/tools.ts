/** Tool definitions and choices, turned into the form of the wire format in use. */
import type { ChatFormat } from '../../contract/enums.js';
import { toolChoices } from '../../contract/enums.js';
import { isRecord, recordOf } from '../../lib/json.js';

interface Tool {
  name: string;
  description?: unknown;
  parameters?: unknown;
}

/** Definitions in any of the three forms; one that is none of them goes as it came. */
export function toolsFor(
  format: ChatFormat,
  tools: readonly unknown[] | undefined,
): unknown[] | undefined {
  return tools?.map((definition) => {
    const tool = toolFrom(definition);
    return tool ? shape(format, tool) : definition;
  });
}

/** The name of a definition in any of the three forms. */
export function toolName(definition: unknown): string | undefined {
  return toolFrom(definition)?.name;
}

/** @param choice auto, none, required, or a tool's name. */
export function toolChoiceFor(format: ChatFormat, choice: string | undefined): unknown {
  if (choice === undefined) return undefined;
  const isWord = toolChoices.some((word) => word === choice);
  switch (format) {
    case 'chat':
      return isWord ? choice : { type: 'function', function: { name: choice } };
    case 'responses':
      return isWord ? choice : { type: 'function', name: choice };
    case 'messages':
      // That format says `any` for required.
      if (isWord) return { type: choice === 'required' ? 'any' : choice };
      return { type: 'tool', name: choice };
  }
}

function toolFrom(definition: unknown): Tool | undefined {
  if (!isRecord(definition)) return undefined;
  const named = isRecord(definition['function']) ? definition['function'] : definition;
  const { name, description } = named;
  if (typeof name !== 'string') return undefined;
  // A definition with a type of its own that is no function is a tool of the service.
  const type = definition['type'];
  if (type !== undefined && type !== 'function' && type !== 'custom') return undefined;
  return { name, description, parameters: named['parameters'] ?? named['input_schema'] };
}

function shape(format: ChatFormat, { name, description, parameters }: Tool): unknown {
  const described = description === undefined ? {} : { description };
  const schema = recordOf(parameters ?? { type: 'object', properties: {} });
  switch (format) {
    case 'chat':
      return { type: 'function', function: { name, ...described, parameters: schema } };
    case 'responses':
      return { type: 'function', name, ...described, parameters: schema };
    case 'messages':
      return { name, ...described, input_schema: schema };
  }
}
