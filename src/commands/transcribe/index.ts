import { command, flag, text, type Loaded } from '../../cli/declaration.js';
import { newRun } from '../../jobs/options.js';
import { bytesPerMb, transcription } from '../../contract/limits.js';

const mostMb = String(transcription.fileBytes / bytesPerMb);

export const transcribe = command('transcribe', 'write down what a recording says', {
  heading: 'Audio',
  description: `Write down what a recording says. The text goes to stdout.\nA file of more than ${mostMb} MB is refused; a WAV file can be cut where it is quiet, with --split.`,
  args: [
    { name: 'file', summary: 'the recording, or - for stdin', required: true, completes: 'file' },
  ],
  options: {
    model: text.model('the model that listens (see `svc models list --all`)'),
    language: text('CODE', 'what is spoken, such as en'),
    split: flag(`cut a WAV file of more than ${mostMb} MB where it is quiet, and join the text`),
    new: newRun,
    resume: flag('go on after a cut: what was written down is not paid again'),
  },
  examples: [
    'svc --local transcribe hi.wav # what `svc --local speak` said',
    'svc transcribe -m vendor/listener interview.mp3 > interview.txt # to a file',
    'svc transcribe -m vendor/listener --split lecture.wav --language ru # two hours of sound',
  ],
  endpoints: ['audio.transcription'],
  load: (): Promise<Loaded> => import('./transcribe.js'),
});
