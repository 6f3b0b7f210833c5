import { command, flag, text, under } from '../../command.js';
import { portOption } from '../serve/index.js';
import { tapeOptions, tapeRules } from '../tape-options.js';

export const defaultPort = 8788;

/** What svc itself asks for; the requests of programs may go to any row. */
const reaching = { endpoints: ['billing.history', 'billing.record'], mayCharge: true } as const;
/** What the requests of both are made of. */
const shared = {
  modelMap: text.several('RULES', 'ask other models: gpt-*=vendor/a,*=vendor/b'),
  log: flag('do not keep the turns in the log', { negated: true }),
};

export const run = command('run', 'run a program with its requests under one ceiling', {
  heading: 'Tools',
  ...reaching,
  description:
    'Run a program that speaks the format of OpenAI or Anthropic, with all its requests together under --max-cost and the budget. Its terminal and its exit code are its own. It gets an address on this machine and a key made for this run, in OPENAI_BASE_URL, OPENAI_API_KEY, ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY and others; never the key of the account. Programs that need more than variables, such as codex and opencode, have a recipe.\nA request that may cost more than is left is refused before it is sent. When the program has ended, what it has cost is shown on stderr.',
  args: [
    {
      name: 'program',
      summary: 'the program with its arguments; options after it are its own',
      required: true,
      many: true,
      isLine: true,
      completes: 'file',
    },
  ],
  options: {
    model: text.model('the model that the program is told to use'),
    ...shared,
    env: text.several('NAME=WHAT', 'also set this variable to the url, the key or the model'),
    stop: flag('end the program when a request is refused for its price'),
    print: flag('print what would be run, with its variables and files, and run nothing'),
    recipe: flag('use no recipe: add no arguments and no files', { negated: true }),
    report: text('FILE', 'write what it has cost to this file, as JSON'),
    ...under('Tapes', tapeOptions),
  },
  ...tapeRules,
  examples: [
    'svc run --max-cost 10 -m vendor/model -- codex # an agent that cannot spend more than 10 RUB',
    'svc run --print -m vendor/model -- codex # what would be run, and with which variables',
    'svc --local run -- python ask.py # offline, against the embedded service',
    "svc run --model-map 'gpt-*=vendor/model' -- ./my-app # other models for the names built into it",
  ],
});

export const proxy = command('proxy', 'serve the models to other programs under one ceiling', {
  heading: 'Tools',
  ...reaching,
  description:
    'Accept requests of editors and other programs on this machine and forward them, all of them together under --max-cost and the budget. Print the address on stdout and, on stderr, the variables to set and a line for each request. The key is made for this run, or is SVC_PROXY_KEY.',
  options: {
    port: portOption(defaultPort),
    ...shared,
    ...under('Tapes', tapeOptions),
  },
  ...tapeRules,
  examples: [
    'svc proxy --max-cost 50 # stop it with Ctrl-C',
    'svc --local proxy --port 0 # offline, with the models local/…',
  ],
});
