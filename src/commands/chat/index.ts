import { command, flag, integer, number, text, under } from '../../command.js';
import type { InputOf } from '../../command.js';
import type { QuestionInput } from '../../chat/question.js';
import * as enums from '../../contract/enums.js';
import * as limits from '../../contract/limits.js';
import { cacheOption, priceNote } from '../../jobs/options.js';

const { min, max } = limits.temperature;

export const chat = command('chat', 'ask a model and stream its answer', {
  heading: 'Text',
  description: `Ask a language model. The answer streams to stdout, the reasoning to stderr.\nPiped text comes before the prompt, or is the prompt. With neither, it opens a session on a terminal.\n${priceNote}`,
  args: [{ name: 'prompt', summary: 'the question or task', many: true }],
  options: {
    model: text.several('ID', 'the model (see `svc models list`); several are compared', {
      short: 'm',
      completes: 'model',
    }),
    interactive: flag('ask and answer in a session; /help lists its commands', { short: 'i' }),
    system: text('TEXT', 'the system prompt', { short: 's' }),
    continue: flag('continue the last conversation', { short: 'c' }),
    conversation: text('NAME|ID', 'continue this conversation, or start one with this name', {
      completes: 'conversation',
    }),
    attach: text.several('FILE|URL|-', 'an image to look at, or a text file', { short: 'a' }),
    file: text.several('FILE|URL', 'text: a file, folder, glob or web page', { short: 'f' }),
    search: text('QUERY', 'search the web first; the answer cites the results'),
    output: text('FILE', 'write the exact answer to a new file; - is stdout', { short: 'o' }),
    extract: flag('print only the first fenced code block', { short: 'x' }),
    ...under('Templates', {
      template: text('NAME', 'use a template (see `svc templates list`)', {
        short: 't',
        completes: 'template',
      }),
      param: text.several('NAME=VALUE', 'a value for {NAME} in the template', { short: 'p' }),
      save: text('NAME', 'save this line as a template; do not ask the model'),
    }),
    ...under('Conversation', {
      history: text('FILE|-', 'the conversation so far, as JSON: messages, or {messages, system}', {
        also: '--messages',
      }),
      log: flag('do not keep this turn in the log', { negated: true }),
    }),
    ...under('Model', {
      format: text('FORMAT', 'the wire format', { choices: enums.chatFormats, default: 'chat' }),
      maxTokens: integer('N', 'the maximum number of tokens in the answer', { min: 1 }),
      shorten: flag('lower --max-tokens to what --max-cost and the budget allow', {
        also: '--fit',
      }),
      temperature: number('N', `from ${min} (steady) to ${max} (varied)`, { min, max }),
      topP: number('N', 'consider only the likeliest tokens, up to this share', limits.topP),
    }),
    ...under('Reasoning', {
      reasoningEffort: text('LEVEL', 'how much to reason, with --format chat or responses', {
        choices: enums.reasoningEfforts,
      }),
      reasoningSummary: text('KIND', 'show a summary of the reasoning, with --format responses', {
        choices: enums.reasoningSummaries,
      }),
      thinking: text('STATE', 'think before answering, with --format messages', {
        choices: enums.thinkingTypes,
      }),
      thinkingBudget: integer('N', 'a limit on thinking tokens, with --format messages', {
        min: 1,
      }),
      reasoning: flag('do not show reasoning', { negated: true }),
    }),
    ...under('Tools and format', {
      tool: text.several('NAME|FILE', 'a program that svc runs when the model calls it', {
        completes: 'tool',
      }),
      mcp: text.several('COMMAND', 'start an MCP server and let the model call its tools'),
      approve: text('WHEN', 'whether to run tool calls: ask each time, always or never', {
        choices: ['ask', 'always', 'never'],
        default: 'ask',
      }),
      maxTurns: integer('N', 'the maximum number of requests with tools', {
        min: 1,
        default: '10',
      }),
      toolDefinitions: text('FILE', 'a JSON array of tools; svc prints their calls', {
        also: '--tools',
      }),
      toolChoice: text('CHOICE', 'the tool to call: auto, none, required, or a name', {
        completes: enums.toolChoices,
      }),
      jsonObject: flag('require a JSON object, with --format chat or responses'),
      schema: text('SCHEMA', 'require JSON that fits: a file, JSON, or "name, age int: in years"'),
      schemaMulti: text('SCHEMA', 'require a list whose items fit this schema'),
      askAgain: flag('ask once more if the answer does not fit the schema', { also: '--repair' }),
    }),
    ...cacheOption,
    ...under('Output', {
      stream: flag('show the answer when it is complete', { negated: true }),
      plain: flag('show the answer as it is, without rendering Markdown'),
      countTokens: flag('estimate the input tokens; do not ask the model'),
      force: flag('replace the file of -o, or the template of --save'),
      events: flag('print each event as a line of JSON; `done` comes last'),
    }),
  },
  examples: [
    'svc --local chat "What can you do?" # offline, no account',
    'svc chat # talk in a session',
    'svc chat -c "and shorter?" # continue the last conversation',
    'cat error.log | svc chat "why does this fail?" # about piped text',
    'svc chat -a photo.jpg "what is this?" # ask about an image',
    'svc chat -x "a bash loop over *.png" > loop.sh # only the code',
    'svc chat --search "node 20 end of life" "When must I upgrade?" # answer from web results',
    'svc chat --tool rg "Where is the timeout set?" # run a tool of yours',
    'svc chat --history talk.json "and then?" # continue a conversation in a file',
    'svc chat --json "hi" | jq .cost.priceRub # only the price',
    'svc chat --max-cost 2 --shorten "Explain DNS" # for at most 2 RUB',
  ],
  endpoints: ['chat.create', 'chat.messages', 'chat.responses', 'chat.countTokens', 'search.web'],
  conflicts: [
    ['--json', '--events'],
    ['--json-object', '--schema', '--schema-multi'],
    ['--schema', '--schema-multi'],
    ['--ask-again', '--search', '--events'],
    ['--save', '--template', '--cache'],
    ['--thinking disabled', '--thinking-budget'],
    ['--count-tokens', '--events', '--output', '--extract', '--search'],
    ['-a -', '--history -'],
    ['--tool', '--tool-definitions', '--ask-again'],
    ['--mcp', '--tool-definitions', '--ask-again'],
    ['--history', '--continue', '--conversation'],
    ['--continue', '--conversation'],
    ['--interactive', '--json', '--events', '--output', '--extract', '--no-stream'],
    ['--interactive', '--count-tokens', '--history', '--dry-run', '--curl', '-a -'],
    ['--interactive', '--schema', '--schema-multi', '--ask-again', '--save'],
  ],
  needs: [
    ['--tool-choice', '--tool', '--mcp', '--tool-definitions'],
    ['--approve', '--tool', '--mcp', '--continue', '--conversation', '--template'],
    ['--max-turns', '--tool', '--mcp', '--continue', '--conversation', '--template'],
    ['--ask-again', '--schema', '--schema-multi', '--template'],
    ['--param', '--template', '--save'],
  ],
});

/** What is typed, or made of a template. */
export interface ChatLine extends InputOf<typeof chat>, Pick<QuestionInput, 'frame'> {}

/** The options for one of the models. */
export type ChatOptions = Omit<ChatLine['options'], 'model'> & { readonly model?: string };

/** The question for one of the models. */
export interface ChatInput extends QuestionInput {
  readonly options: ChatOptions;
}
