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

/** No request of an earlier command is sent again: a tool that reads never pays. */
const free = ['--max-cost', '0'];

export const offered: Readonly<Record<string, Offer>> = {
  chat: {
    does: 'pays',
    about: 'Answer of a language model. Costs RUB. `search`: a web query; the answer cites pages.',
    options: 'model system conversation attach[] search maxTokens schema',
    words: { attach: 'path or URL', schema: 'JSON Schema' },
  },
  generate: {
    does: 'pays',
    about:
      'Image, video, audio, music or 3D model. Costs RUB; quote: only the price. Plain image: image_create.',
    options: 'opt[] input[] quote wait new',
    words: {
      opt: 'NAME=VALUE of models_capabilities',
      input: 'path or URL',
      wait: 'false: return the job id at once',
    },
    hasFiles: true,
  },
  'jobs list': {
    does: 'reads',
    about: 'Media jobs, newest first.',
    options: 'limit',
    always: free,
  },
  'jobs show': { does: 'reads', about: 'State, price and files of a job.', always: free },
  'jobs wait': {
    does: 'reads',
    about: 'Ends of jobs; jobs_download gets the files.',
    options: 'timeout',
    words: { timeout: '30s, 5m' },
    // Results may belong where an earlier command said; `jobs download` puts them into the folder.
    always: ['--no-download', ...free],
    isList: true,
  },
  'jobs download': {
    does: 'changes',
    about: 'Files of ended jobs. Free.',
    hasFiles: true,
    isList: true,
  },
  'image create': {
    does: 'pays',
    about: 'Image from a prompt. Costs RUB. With sources or options: generate.',
    options: 'model size quote new',
    hasFiles: true,
  },
  speak: {
    does: 'pays',
    about: 'Speech from text. Costs RUB.',
    options: 'model voice format',
    hasFiles: true,
  },
  transcribe: { does: 'pays', about: 'Text of a recording. Costs RUB.', options: 'model' },
  search: {
    does: 'pays',
    about: 'Web pages. Costs RUB. For an answer: chat with search.',
    options: 'limit',
  },
  embed: {
    does: 'pays',
    about: 'Vectors of texts, or those most like `similar`. Costs RUB.',
    options: 'model similar limit',
    isList: true,
  },
  decide: {
    does: 'pays',
    about:
      'Probabilities of answers about `state`. Costs RUB. choice, yesNo: NAME=QUESTION; option: NAME:OPTION=MEANING',
    options: 'state model choice[] option[] yesNo[]',
  },
  'models list': {
    does: 'reads',
    about: 'Models with prices. For media: models_media.',
    options: 'type match sort limit',
  },
  'models show': { does: 'reads', about: 'All about one model.' },
  'models capabilities': {
    does: 'reads',
    about: 'Options of media models for generate.',
    options: 'page limit',
  },
  'models media': {
    does: 'reads',
    about: 'Media models with lowest prices.',
    options: 'match limit',
  },
  balance: { does: 'reads', about: 'RUB left on the account.' },
  'usage list': {
    does: 'reads',
    about: 'Charges, newest first.',
    options: 'since until limit',
  },
  'usage show': { does: 'reads', about: 'One charge.' },
  'usage chart': {
    does: 'reads',
    about: 'Spending by day or model.',
    options: 'since by limit',
  },
  'tickets list': {
    does: 'reads',
    about: 'Support tickets.',
    options: 'status limit',
  },
  'tickets show': { does: 'reads', about: 'A ticket and its messages.' },
  'tickets create': {
    does: 'changes',
    about: 'New support ticket.',
    options: 'subject message attach[]',
  },
  'tickets reply': {
    does: 'changes',
    about: 'Message in a ticket.',
    options: 'attach[]',
  },
  'tickets close': { does: 'ends', about: 'Closes a ticket.' },
};
