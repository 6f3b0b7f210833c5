/** Tool definitions and choices, turned into the form of the wire format in use. */
import type { ChatFormat } from '../../contract/enums.js';
import { toolChoices } from '../../contract/enums.js';
import { isRecord, recordOf } from '../../lib/json.js';

interface Tool {
  name: string;
  description?: unknown;
  parameters?: unknown;
  /** The messages format has no such thing. */
  strict?: unknown;
}

/** Definitions in any of the three forms; one in its own form, or in none, goes as it came. */
export function toolsFor(
  format: ChatFormat,
  tools: readonly unknown[] | undefined,
): unknown[] | undefined {
  return tools?.map((definition) => {
    const tool = toolFrom(definition);
    return tool && !isInForm(format, definition) ? shape(format, tool) : definition;
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
      return choice;
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
  const { name, description, parameters, input_schema: inputSchema, strict } = named;
  if (typeof name !== 'string') return undefined;
  // A definition with a type of its own that is no function is a tool of the service; the
  // messages format calls its functions custom.
  const type = definition['type'] ?? 'function';
  if (type !== 'function' && !(type === 'custom' && inputSchema)) return undefined;
  return { name, description, parameters: parameters ?? inputSchema, strict };
}

function isInForm(format: ChatFormat, definition: unknown): boolean {
  const { type, function: inner, input_schema: inputSchema } = recordOf(definition);
  switch (format) {
    case 'chat':
      return type === 'function' && isRecord(inner);
    case 'responses':
      return type === 'function' && !isRecord(inner);
    case 'messages':
      return isRecord(inputSchema);
  }
}

function shape(format: ChatFormat, { name, description, parameters, strict }: Tool): unknown {
  const described = description === undefined ? {} : { description };
  const strictly = strict === undefined ? {} : { strict };
  const schema = recordOf(parameters ?? { type: 'object', properties: {} });
  switch (format) {
    case 'chat':
      return {
        type: 'function',
        function: { name, ...described, parameters: schema, ...strictly },
      };
    case 'responses':
      return { type: 'function', name, ...described, parameters: schema, ...strictly };
    case 'messages':
      return { name, ...described, input_schema: schema };
  }
}
