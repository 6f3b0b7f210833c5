import { command, flag, text } from '../../command.js';
import { cacheOption, newRun, priceNote } from '../../jobs/options.js';
import { bytesPerMb, transcription } from '../../contract/limits.js';

const maxMb = String(transcription.fileBytes / bytesPerMb);

export const transcribe = command('transcribe', 'transcribe a recording', {
  heading: 'Media',
  description: `Transcribe a recording and print the text.\nA file of more than ${maxMb} MB is refused; --split splits a WAV file at quiet places.\n${priceNote}`,
  args: [
    { name: 'file', summary: 'the recording, or - for stdin', required: true, completes: 'file' },
  ],
  options: {
    model: text.model('the transcription model (see `svc models list --all`)'),
    language: text('CODE', 'the spoken language, such as en'),
    split: flag(`split a WAV file of more than ${maxMb} MB at quiet places and join the text`),
    ...cacheOption,
    new: newRun,
    resume: flag('continue an interrupted run without paying twice'),
  },
  examples: [
    'svc --local transcribe hi.wav # a file from `svc --local speak`',
    'svc transcribe -m vendor/listener interview.mp3 > interview.txt # to a file',
    'svc transcribe -m vendor/listener --split lecture.wav --language ru # a two-hour recording',
  ],
  endpoints: ['audio.transcription'],
});
