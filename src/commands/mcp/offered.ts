/** Which commands an agent is offered as tools, in their order, and what it reads about them. */

export interface Offer {
  /** Reads never pay; what `ends` cannot be undone. */
  readonly does: 'reads' | 'pays' | 'changes' | 'ends';
  /** What the tool makes, then what it costs, then when another is the better one. */
  readonly about: string;
  /** The options that a program may set, `[]` after what is a list: none that runs a program, opens a window or names an output. */
  readonly options?: string;
  /** What arguments mean whose name and type do not say it. */
  readonly words?: Readonly<Record<string, string>>;
  /** Words of every call. */
  readonly always?: readonly string[];
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
  chat: pays(
    'Answer of a language model. Costs RUB. `search`: a web query; the answer cites pages.',
    {
      options: 'model system conversation attach[] search maxTokens shorten schema',
      words: { attach: 'path or URL' },
    },
  ),
  generate: pays(
    'Image, video, audio, music or 3D model. Costs RUB; quote: only the price. Plain image: image_create.',
    {
      options: 'opt[] input[] quote wait new',
      words: {
        opt: 'NAME=VALUE of models_capabilities',
        input: 'path or URL',
        wait: 'false: return the job id at once',
      },
      hasFiles: true,
    },
  ),
  'jobs list': reads('Media jobs, newest first.', { options: 'limit', always: free }),
  'jobs show': reads('State, price and files of a job.', { always: free }),
  'jobs wait': reads('Ends of jobs; jobs_download gets the files.', {
    options: 'timeout',
    words: { timeout: '30s, 5m' },
    // Results may belong where an earlier command said; `jobs download` puts them into the folder.
    always: ['--no-download', ...free],
    isList: true,
  }),
  'jobs download': changes('Files of ended jobs. Free.', { hasFiles: true, isList: true }),
  'image create': pays('Image from a prompt. Costs RUB. With sources or options: generate.', {
    options: 'model size quote new',
    hasFiles: true,
  }),
  speak: pays('Speech from text. Costs RUB.', { options: 'model voice format', hasFiles: true }),
  transcribe: pays('Text of a recording. Costs RUB.', { options: 'model' }),
  search: pays('Web pages. Costs RUB. For an answer: chat with search.', { options: 'limit' }),
  embed: pays('Vectors of texts, or those most like `similar`. Costs RUB.', {
    options: 'model similar limit',
    isList: true,
  }),
  decide: pays(
    'Probabilities of answers about `state`. Costs RUB. choice, yesNo: NAME=QUESTION; option: NAME:OPTION=MEANING',
    { options: 'state model choice[] option[] yesNo[]' },
  ),
  'models list': reads('Models with prices. For media: models_media.', {
    options: 'type match sort limit',
  }),
  'models show': reads('All about one model.'),
  'models capabilities': reads('Options of media models for generate.', { options: 'page limit' }),
  'models media': reads('Media models with lowest prices.', { options: 'match limit' }),
  balance: reads('RUB left on the account.'),
  'usage list': reads('Charges, newest first.', { options: 'since until limit' }),
  'usage show': reads('One charge.'),
  'usage chart': reads('Spending by day or model.', { options: 'since by limit' }),
  'tickets list': reads('Support tickets.', { options: 'status limit' }),
  'tickets show': reads('A ticket and its messages.'),
  'tickets create': changes('New support ticket.', { options: 'subject message attach[]' }),
  'tickets reply': changes('Message in a ticket.', { options: 'attach[]' }),
  'tickets close': offer('ends')('Closes a ticket.'),
};
