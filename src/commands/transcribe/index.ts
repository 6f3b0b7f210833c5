import { command, type Loaded } from '../../cli/declaration.js';
import { newRun } from '../../jobs/options.js';
import { bytesPerMb, transcription } from '../../contract/limits.js';

const mostMb = String(transcription.fileBytes / bytesPerMb);

export const transcribe = {
  ...command({
    name: 'transcribe',
    summary: 'write down what a recording says',
    description: `Write down what a recording says. The text goes to stdout.\nA file of more than ${mostMb} MB is refused; a WAV file can be cut where it is quiet, with --split.`,
    args: [
      { name: 'file', summary: 'the recording, or - for stdin', required: true, completes: 'file' },
    ],
    options: {
      model: {
        type: 'text',
        short: 'm',
        value: 'ID',
        summary: 'the model that listens (see `svc models list --all`)',
        completes: 'model',
      },
      language: { type: 'text', value: 'CODE', summary: 'what is spoken, such as en' },
      split: {
        type: 'switch',
        summary: `cut a WAV file of more than ${mostMb} MB where it is quiet, and join the text`,
      },
      new: newRun,
      resume: {
        type: 'switch',
        summary: 'go on after a cut: what was written down is not paid again',
      },
    },
    examples: [
      { command: 'svc --local transcribe hi.wav', note: 'what `svc --local speak` said' },
      {
        command: 'svc transcribe -m vendor/listener interview.mp3 > interview.txt',
        note: 'to a file',
      },
      {
        command: 'svc transcribe -m vendor/listener --split lecture.wav --language ru',
        note: 'two hours of sound',
      },
    ],
    endpoints: ['audio.transcription'],
    load: (): Promise<Loaded> => import('./transcribe.js'),
  }),
  heading: 'Audio',
} as const;
