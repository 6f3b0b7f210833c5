import { command, flag, integer, number, output, text, under } from '../../cli/declaration.js';
import type { Loaded } from '../../cli/declaration.js';
import * as enums from '../../contract/enums.js';
import * as limits from '../../contract/limits.js';

const { min, max } = limits.temperature;

export const chat = command('chat', 'ask a model and stream its answer', {
  heading: 'Text',
  description:
    'Ask a language model. The answer streams to stdout; reasoning, tokens and price go to stderr.\nPiped text precedes the prompt, or is the prompt.',
  args: [{ name: 'prompt', summary: 'the question or task', many: true }],
  options: {
    model: text.model('the model (see `svc models list`)'),
    system: text('TEXT', 'the system prompt', { short: 's' }),
    messages: text('FILE|-', 'the conversation so far in JSON: messages, or {messages, system}'),
    attach: text.several('FILE|URL|-', 'an image or text file to attach', { short: 'a' }),
    search: text('QUERY', 'search the web first; the answer cites the results'),
    ...under('Model', {
      format: text('FORMAT', 'the wire format', { choices: enums.chatFormats, default: 'chat' }),
      maxTokens: integer('N', 'the maximum number of tokens in the answer', { min: 1 }),
      temperature: number('N', `from ${String(min)} to ${String(max)}`, { min, max }),
      topP: number('N', 'sample from this probability mass', limits.topP),
    }),
    ...under('Reasoning', {
      reasoningEffort: text('LEVEL', 'the reasoning effort (chat, responses)', {
        choices: enums.reasoningEfforts,
      }),
      reasoningSummary: text('KIND', 'summarise the reasoning (responses)', {
        choices: enums.reasoningSummaries,
      }),
      thinking: text('WORD', 'think before answering (messages)', { choices: enums.thinkingTypes }),
      thinkingBudget: integer('N', 'the maximum number of thinking tokens (messages)', { min: 1 }),
      reasoning: flag('do not show reasoning', { negated: true }),
    }),
    ...under('Tools and format', {
      tools: text('FILE', 'a JSON array of tool definitions'),
      toolChoice: text('CHOICE', 'auto, none, required or a tool', {
        completes: enums.toolChoices,
      }),
      jsonObject: flag('require a JSON object (chat, responses)'),
      schema: text('FILE', 'require an answer that fits this JSON Schema (chat, responses)'),
    }),
    ...under('Output', {
      stream: flag('show the answer when it is complete', { negated: true }),
      countTokens: flag('estimate the input tokens; do not ask the model'),
      ...output('FILE', 'write the exact answer to a new file; - is stdout'),
      extract: flag('print only the first fenced code block', { short: 'x' }),
      events: flag('print each event as a line of JSON; `done` comes last'),
    }),
  },
  examples: [
    'svc --local chat "What can you do?" # offline, no account',
    'cat error.log | svc chat "why does this fail?" # about piped text',
    'svc chat -a photo.jpg "what is this?" # ask about an image',
    'svc chat --search "node 20 end of life" "When must I upgrade?" # answer from web results',
    'svc chat --messages talk.json "and then?" # continue a conversation',
    'svc chat -x "a bash loop over *.png" > loop.sh # only the code',
    'svc chat --json "hi" | jq .cost.priceRub # only the price',
  ],
  endpoints: ['chat.create', 'chat.messages', 'chat.responses', 'chat.countTokens', 'search.web'],
  conflicts: [
    ['--json', '--events'],
    ['--json-object', '--schema'],
    ['--thinking disabled', '--thinking-budget'],
    ['--count-tokens', '--events', '--output', '--extract', '--search'],
    ['-a -', '--messages -'],
  ],
  needs: [['--tool-choice', '--tools']],
  load: (): Promise<Loaded> => import('./chat.js'),
});
