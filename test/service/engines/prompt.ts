import type { Prompt, Turn } from '../../../src/service/engines/engine.js';

/** A prompt with one user message, or with these turns. */
export function promptOf(said: string | readonly Turn[], more: Partial<Prompt> = {}): Prompt {
  const turns: readonly Turn[] =
    typeof said === 'string' ? [{ role: 'user', parts: [{ type: 'text', text: said }] }] : said;
  return {
    format: 'chat',
    model: 'local/echo',
    stream: false,
    system: [],
    turns,
    stop: [],
    tools: [],
    toolChoice: 'auto',
    parallelToolCalls: true,
    output: { form: 'text' },
    reasoning: { mode: 'auto' },
    ...more,
  };
}
