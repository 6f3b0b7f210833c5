import { command, flag, number, text } from '../../command.js';

/** What its tools reach. */
const reached = `
  chat.create chat.messages chat.responses chat.countTokens search.web media.generate media.price
  media.publicPrice media.job media.file models.capabilities files.upload images.create images.list
  audio.speech voices.list audio.transcription search.region embeddings.create models.list
  models.pricing models.get decisions.create models.catalog media.catalog billing.balance
  billing.history billing.record tickets.list tickets.get tickets.create tickets.reply
  tickets.close`;

export const usualAskAboveRub = 10;

export const mcp = command('mcp', 'offer the commands as tools to an agent, by MCP over stdio', {
  heading: 'Tools',
  description:
    'Run a server of the Model Context Protocol (MCP) on stdin and stdout, which an agent starts. Its tools are commands of svc: chat, generate, jobs, image, speak, transcribe, search, embed, decide, models, balance, usage and tickets. Results contain what they cost; images are also sent as images. Options such as --local and --profile apply to each call; --max-cost is the most that all calls of this server may spend together, and the argument maxCost lowers it for one call. The server ends when stdin ends.\nThe tools read the files that the agent names, with your permissions.',
  options: {
    readOnly: flag('offer only the tools that cost nothing and change nothing'),
    tools: text('TOOL,…', 'offer only these tools, such as chat,jobs_list', { also: '--allow' }),
    askAbove: number(
      'RUB',
      'ask you before a call that may cost more, if the agent can show a form',
      {
        min: 0,
        default: String(usualAskAboveRub),
      },
    ),
    files: text('DIR', "the folder for results (default: files in svc's data folder)", {
      completes: 'directory',
    }),
  },
  examples: [
    'svc mcp --max-cost 50 # for the configuration of an agent',
    'svc --local mcp # offline, no account',
    'svc mcp --read-only --tools models_list,models_show,balance # only these',
  ],
  endpoints: reached.trim().split(/\s+/),
});
