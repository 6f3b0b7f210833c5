/** Which commands an agent is offered as tools, in their order, and what it reads about them. */

export interface Offer {
  /** Reads never pay; what `ends` cannot be undone. */
  readonly does: 'reads' | 'pays' | 'changes' | 'ends';
  /** What the tool makes, then what it costs, then when another is the better one. */
  readonly about: string;
  /** The options that a program may set, `[]` after what is a list: none that runs a program, opens a window or names an output. */
  readonly options?: string;
  /** Options that are accepted as those are, and not listed: few calls need them, and every agent reads the list. */
  readonly unlisted?: string;
  /** What arguments mean whose name and type do not say it. */
  readonly words?: Readonly<Record<string, string>>;
  /** Words of every call. */
  readonly always?: readonly string[];
  /** The field that its JSON has for certain, as its outputSchema says; a list of the command is in an object below it. */
  readonly gives?: string;
  /** How many a list has where the call does not say: an agent reads all of it. */
  readonly first?: number;
  /** Whether it takes -o, which is then the folder for results. */
  readonly hasFiles?: true;
  /** Whether the words of its last argument are separate, and not one text. */
  readonly isList?: true;
}

type More = Omit<Offer, 'does' | 'about'>;
const offer = (does: Offer['does']) => (about: string, more?: More) => ({ does, about, ...more });
const reads = offer('reads');
const pays = offer('pays');
const changes = offer('changes');

/** No request of an earlier command is sent again: a tool that reads never pays. */
const free = ['--max-cost', '0'];

export const offered: Readonly<Record<string, Offer>> = {
  chat: pays('Answer of a language model. Costs RUB. `search`: a web query to cite.', {
    options: 'model system conversation attach[] search maxTokens schema',
    unlisted:
      'continue file format temperature topP reasoningEffort shorten jsonObject schemaMulti timeout',
    words: { attach: 'path or URL' },
  }),
  generate: pays('Image, video, audio, music or 3D model. Costs RUB. Plain image: image_create.', {
    options: 'opt[] input[] quote wait new',
    unlisted: 'strict timeout',
    words: {
      opt: 'NAME=VALUE of models_capabilities',
      input: 'path or URL',
      wait: 'false: return the job id at once',
    },
    hasFiles: true,
  }),
  'jobs list': reads('Media jobs, newest first.', {
    options: 'limit',
    unlisted: 'all',
    always: free,
    gives: 'jobs',
    first: 10,
  }),
  'jobs show': reads('State, price and files of a job.', {
    always: free,
    gives: 'state',
  }),
  'jobs wait': reads('State of jobs once they end; files: jobs_download.', {
    options: 'timeout',
    words: { timeout: '30s, 5m' },
    // Results may belong where an earlier command said; `jobs download` puts them into the folder.
    always: ['--no-download', ...free],
    gives: 'jobs',
    isList: true,
  }),
  'jobs download': changes('Files of ended jobs. Free.', { hasFiles: true, isList: true }),
  'image create': pays('Image from a prompt. Costs RUB. With sources: generate.', {
    options: 'model size quote new',
    unlisted: 'quality timeout',
    hasFiles: true,
  }),
  speak: pays('Speech from text. Costs RUB.', {
    options: 'model voice format',
    unlisted: 'speed maxChars new',
    hasFiles: true,
  }),
  transcribe: pays('Text of a recording. Costs RUB.', {
    options: 'model',
    unlisted: 'language split new',
  }),
  search: pays('Web pages. Costs RUB. For an answer: chat with search.', {
    options: 'limit',
    unlisted: 'mode country language region',
  }),
  embed: pays('Vectors of texts, or those most like `similar`. Costs RUB.', {
    options: 'model similar',
    unlisted: 'limit file',
    isList: true,
  }),
  decide: pays(
    'Probabilities of answers about `state`. Costs RUB. choice, yesNo: NAME=QUESTION; option: NAME:OPTION=MEANING',
    { options: 'state model choice[] option[] yesNo[]', unlisted: 'score level' },
  ),
  'models list': reads('Models with prices. For media: models_media.', {
    options: 'type match sort limit',
    unlisted: 'all variants',
    gives: 'data',
    first: 20,
  }),
  'models show': reads('Price and abilities of a model.'),
  'models capabilities': reads('Options of media models for generate.', {
    options: 'limit',
    unlisted: 'match page',
    gives: 'models',
    first: 1,
  }),
  'models media': reads('Media models with lowest prices.', {
    options: 'match limit',
    unlisted: 'sort',
    gives: 'models',
    first: 20,
  }),
  balance: reads('RUB left on the account.', { gives: 'balance_rub' }),
  'usage list': reads('Charges, newest first.', {
    options: 'since limit',
    unlisted: 'until page',
    gives: 'data',
    first: 20,
  }),
  'usage show': reads('One charge.'),
  'usage chart': reads('Spending by day or model.', {
    options: 'since by limit',
    unlisted: 'until',
    gives: 'data',
    first: 31,
  }),
  'tickets list': reads('Support tickets.', {
    options: 'status limit',
    unlisted: 'after',
    gives: 'data',
    first: 20,
  }),
  'tickets show': reads('A ticket and its messages.', { gives: 'ticket' }),
  'tickets create': changes('New support ticket.', {
    options: 'subject message attach[]',
    unlisted: 'category requestId incidentId followUp',
  }),
  'tickets reply': changes('Message in a ticket.', { options: 'attach[]' }),
  'tickets close': offer('ends')('Closes a ticket.'),
};
