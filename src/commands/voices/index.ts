import { command, group, flag, text, type Loaded } from '../../cli/declaration.js';
import { newRun } from '../../jobs/options.js';
import { voiceEngines } from '../../contract/enums.js';
import { bytesPerMb, voice as limits } from '../../contract/limits.js';

const removeBackgroundNoise = flag('let the service take noise out of the recordings');

const recordings = {
  name: 'recordings',
  summary: 'wav or mp3 files, or https URLs that the service fetches',
  required: true,
  many: true,
  completes: 'file',
} as const;

const voice = {
  name: 'voice',
  summary: 'the id or the name of a voice',
  required: true,
} as const;

export const list = command('list', 'list your cloned voices, what they cost, and the prices', {
  description:
    'List your cloned voices with their status, their monthly fee and when it is due. Voices that are unpaid, and when they will be deleted, are told on stderr.',
  examples: ['svc voices list # one line a voice'],
  endpoints: ['voices.list'],
  load: (): Promise<Loaded> => import('./list.js').then(({ list: run }) => ({ run })),
});

export const create = command('create', 'clone a voice from recordings', {
  description: `Make a voice from recordings of somebody who agreed to it, and print its id. The recordings are checked and measured before anything is sent: wav or mp3, ${limits.sampleBytes / bytesPerMb} MB each, ${limits.totalBytes / bytesPerMb} MB and ${limits.totalSeconds} seconds in all. When the answer gets lost, svc names the voices that it may have made, and never pays for it again unasked.`,
  args: [
    { name: 'name', summary: 'what to call the voice', required: true },
    { ...recordings, summary: `${recordings.summary}; several only for extvoice` },
  ],
  options: {
    engine: text('ENGINE', 'what makes the voice', { choices: voiceEngines }),
    removeBackgroundNoise,
    consent: flag('you state that whoever is heard agreed to their voice being cloned'),
    new: newRun,
  },
  examples: [
    'svc voices create narrator reading.wav --consent # off a terminal nobody can be asked for consent',
    'svc voices create narrator one.mp3 two.mp3 --engine extvoice # from several recordings',
  ],
  endpoints: ['voices.create', 'voices.list'],
  load: (): Promise<Loaded> => import('./create.js'),
});

export const remove = command('delete', 'delete a cloned voice', {
  description: 'Delete a voice, here and at the supplier. It cannot be brought back.',
  args: [voice],
  examples: ['svc voices delete narrator --yes # without being asked'],
  endpoints: ['voices.delete', 'voices.list'],
  load: (): Promise<Loaded> => import('./list.js').then(({ remove: run }) => ({ run })),
});

export const addSamples = command(
  'add-samples',
  'add recordings to a voice of the engine extvoice',
  {
    description:
      'Add recordings to a voice, free of charge. They are checked and measured like those of a new one; 300 seconds is what a voice takes in all.',
    args: [voice, recordings],
    options: { removeBackgroundNoise },
    examples: ['svc voices add-samples narrator three.mp3 # one more recording'],
    endpoints: ['voices.addSamples', 'voices.list'],
    load: (): Promise<Loaded> => import('./samples.js'),
  },
);

export const voices = group('Audio', 'voices', 'cloned voices', [list, create, remove, addSamples]);
