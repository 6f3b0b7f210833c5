/**
 * What an agent reads of svc before it has chosen a tool. Clients show it as the description of all tools, and some
 * search it: what svc is for comes first.
 */
import { isResumed, type CommandTool } from './tools.js';

/** At most 1,200 bytes. It names only `tools`, which are those that are offered. */
export function instructionsFor(tools: readonly CommandTool[]): string {
  const names = tools.map(({ name }) => name);
  const known = (rows: readonly Row[]) =>
    rows.filter(([needed]) => needed.split(' ').every((name) => names.includes(name)));
  const subjects = [...new Set(known(subjectRows).map(([, words]) => words))].join(', ');
  const resumed = tools.filter(isResumed).map(({ name }) => name);
  const isPaid = tools.some(({ does }) => does === 'pays');
  return [
    `For ${subjects || 'one account'}. Money is in RUB.`,
    isPaid ? money : 'No tool here costs anything.',
    ...(resumed.length > 0 ? [`The same call of ${resumed.join(', ')} ${resumes}`] : []),
    ...known(useRows).map(([, words]) => words),
  ].join('\n');
}

/** Words, and before them the tools that they need. */
type Row = readonly [needed: string, words: string];

const subjectRows: readonly Row[] = [
  ['image_create', 'images'],
  ['generate', 'images'],
  ['generate', 'video, audio, music, 3D models'],
  ['speak', 'speech'],
  ['transcribe', 'transcription'],
  ['chat', 'chat with language models'],
  ['search', 'web search'],
  ['embed', 'embeddings'],
  ['decide', 'decisions'],
  ['jobs_list', 'media jobs'],
  ['models_list', 'models and prices'],
  ['models_media', 'models and prices'],
  ['balance', 'balance'],
  ['usage_list', 'spending'],
  ['tickets_list', 'support tickets'],
];

const money =
  '`maxCost`: a call that may cost more RUB is refused before anything is sent; it cannot raise a ceiling that the user has set, who may also be asked to agree. `cost` in a result is what was charged.';

const resumes =
  'while the first one runs, or after a failure, a time limit or a cancel, gets its result and is not paid twice; `new` makes another. Other paid tools pay again.';

const useRows: readonly Row[] = [
  [
    'generate jobs_wait jobs_download',
    'generate that returns state "running": jobs_wait with its id, then jobs_download.',
  ],
  [
    'generate image_create',
    'A plain image: image_create. Video, audio, sources or options: generate.',
  ],
  ['generate models_capabilities', 'Options of a media model: models_capabilities.'],
  ['chat search', 'Web pages: search. An answer that cites them: chat with `search`.'],
  ['models_list models_media', 'Prices: models_list; of media: models_media.'],
  ['usage_list usage_chart', 'What was spent: usage_list for charges, usage_chart for sums.'],
];
