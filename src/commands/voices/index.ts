import { command, group, flag, text, firstOnes } from '../../command.js';
import { newRun, priceNote } from '../../jobs/options.js';
import { voiceEngines } from '../../contract/enums.js';
import { bytesPerMb, voice as limits } from '../../contract/limits.js';

const removeBackgroundNoise = flag('remove background noise from the recordings');

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
  completes: 'voice',
} as const;

export const list = command('list', 'list your cloned voices, their fees, and the prices', {
  options: firstOnes,
  columns: ['id', 'name', 'engine', 'status', 'monthly_fee', 'next_charge', 'deletion', 'seconds'],
  description:
    'List your cloned voices with their status, monthly fee and next charge. Warnings on stderr name unpaid voices and the dates when they will be deleted.',
  examples: ['svc voices list # one line for each voice'],
  endpoints: ['voices.list'],
});

export const create = command('create', 'clone a voice from recordings', {
  description: `Clone a voice from recordings of a person who has consented, and print its id. The recordings are checked before anything is sent: wav or mp3, up to ${limits.sampleBytes / bytesPerMb} MB each, and up to ${limits.totalBytes / bytesPerMb} MB and ${limits.totalSeconds} seconds in total. If the answer is lost, svc names the voices that may have been created, and does not pay again unless told to with --new.\n${priceNote}`,
  args: [
    { name: 'name', summary: 'the name of the voice', required: true },
    { ...recordings, summary: `${recordings.summary}; several only with --engine extvoice` },
  ],
  options: {
    engine: text('ENGINE', 'the engine of the voice', { choices: voiceEngines }),
    removeBackgroundNoise,
    consent: flag('confirm that the speaker has consented to the cloning of their voice'),
    new: newRun,
  },
  examples: [
    'svc voices create narrator reading.wav --consent # required where svc cannot ask',
    'svc voices create narrator one.mp3 two.mp3 --engine extvoice # from several recordings',
  ],
  endpoints: ['voices.create', 'voices.list'],
});

export const remove = command('delete', 'delete a cloned voice', {
  description: 'Delete a voice, at the service and at its supplier. This cannot be undone.',
  args: [voice],
  examples: ['svc voices delete narrator --yes # without a question'],
  endpoints: ['voices.delete', 'voices.list'],
});

export const addSamples = command('add-samples', 'add recordings to an extvoice voice', {
  description:
    'Add recordings to a voice, free of charge. They are checked like those of a new voice; a voice may have 300 seconds in total.',
  args: [voice, recordings],
  options: { removeBackgroundNoise },
  examples: ['svc voices add-samples narrator three.mp3 # one more recording'],
  endpoints: ['voices.addSamples', 'voices.list'],
});

export const voices = group('Media', 'voices', 'cloned voices', [list, create, remove, addSamples]);
