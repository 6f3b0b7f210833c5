import {
  command,
  flag,
  integer,
  type Loaded,
  number,
  output,
  text,
  under,
} from '../../cli/declaration.js';
import * as enums from '../../contract/enums.js';
import * as limits from '../../contract/limits.js';

const { min, max } = limits.temperature;

export const chat = command('chat', 'ask a model and read the answer as it arrives', {
  heading: 'Text',
  description:
    'Ask a language model. The answer streams to stdout; reasoning, tokens and price go to stderr.\nPiped text comes before the prompt; alone, it is the prompt.',
  args: [{ name: 'prompt', summary: 'what to ask', many: true }],
  options: {
    model: text.model('the model (see `svc models list`)'),
    system: text('TEXT', 'the system prompt', { short: 's' }),
    messages: text(
      'FILE|-',
      'what was said before: messages in JSON, or an object with messages and system',
    ),
    attach: text.several('FILE|URL|-', 'an image or a text file to send along', { short: 'a' }),
    search: text('QUERY', 'search the web for this first; the answer cites what was found'),
    ...under('Model', {
      format: text('FORMAT', 'the wire format', { choices: enums.chatFormats, default: 'chat' }),
      maxTokens: integer('N', 'at most this many tokens in the answer', { min: 1 }),
      temperature: number('N', `from ${String(min)} to ${String(max)}`, { min, max }),
      topP: number('N', 'sample from this share of the probability', limits.topP),
    }),
    ...under('Reasoning', {
      reasoningEffort: text('LEVEL', 'how hard to think (chat, responses)', {
        choices: enums.reasoningEfforts,
      }),
      reasoningSummary: text('KIND', 'summarise the reasoning (responses)', {
        choices: enums.reasoningSummaries,
      }),
      thinking: text('WORD', 'whether to think before the answer (messages)', {
        choices: enums.thinkingTypes,
      }),
      thinkingBudget: integer('N', 'tokens to think with (messages)', { min: 1 }),
      reasoning: flag('do not show reasoning', { negated: true }),
    }),
    ...under('Tools and shape', {
      tools: text('FILE', 'tool definitions, a JSON array'),
      toolChoice: text('CHOICE', 'auto, none, required, or a tool by name', {
        completes: enums.toolChoices,
      }),
      jsonObject: flag('the answer must be a JSON object (chat, responses)'),
      schema: text('FILE', 'the answer must fit this JSON Schema (chat, responses)'),
    }),
    ...under('Output', {
      stream: flag('wait for the whole answer', { negated: true }),
      countTokens: flag('estimate the input tokens instead of asking'),
      ...output('FILE', 'write the answer to a new file; - is stdout'),
      extract: flag('print only the first fenced code block', { short: 'x' }),
      events: flag('print each event as a line of JSON; `done` comes last'),
    }),
  },
  examples: [
    'svc --local chat "What can you do?" # offline, no account',
    'cat error.log | svc chat "why does this fail?" # piped text first',
    'svc chat -a photo.jpg "what is this?" # ask about an image',
    'svc chat --search "node 20 end of life" "When must I upgrade?" # from results of the web',
    'svc chat --messages talk.json "and then?" # go on with a conversation',
    'svc chat -x "a bash loop over *.png" > loop.sh # only the code',
    'svc chat --json "hi" | jq .cost.priceRub # what it cost',
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
