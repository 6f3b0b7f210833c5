/**
 * Every enumeration of the service, once. Free of any import, so that declarations
 * (help, completions) and schemas read the same list at no cost.
 */

/** Section 2.2. */
export const messageRoles = ['system', 'user', 'assistant', 'tool'] as const;
/** Section 1: the three wire formats of the chat endpoints. */
export const chatFormats = ['chat', 'messages', 'responses'] as const;
/** Sections 2.3 and 2.5; the supported subset depends on the model. */
export const reasoningEfforts = [
  'none',
  'minimal',
  'low',
  'medium',
  'high',
  'xhigh',
  'max',
] as const;
/** Section 2.5. */
export const reasoningSummaries = ['auto', 'concise', 'detailed'] as const;
/** Section 2.4. */
export const thinkingTypes = ['enabled', 'disabled'] as const;
/** Section 2.3: the words of tool_choice that are not a specific tool. */
export const toolChoices = ['auto', 'none', 'required'] as const;

export type ChatFormat = (typeof chatFormats)[number];
