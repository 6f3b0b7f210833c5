import {
  command,
  flag,
  integer,
  type Loaded,
  number,
  output,
  text,
  under,
} from '../../cli/declaration.js';
import { speechFormats } from '../../contract/enums.js';
import * as limits from '../../contract/limits.js';
import { newRun } from '../../jobs/options.js';

const { inputCharacters, speed } = limits.speech;

export const speak = command('speak', 'speak a text', {
  heading: 'Audio',
  description: `Speak a text: words, a file, or what is piped in. The sound goes to a file, whose path is all that stdout gets, or with -o - to stdout as it arrives.\nMore than ${String(inputCharacters.max)} characters are spoken in pieces and joined.`,
  args: [{ name: 'text', summary: 'what to say', many: true }],
  options: {
    file: text('FILE', 'a text file to speak; - is stdin', { short: 'f' }),
    model: text.model('the speech model (see `svc models list --all`)'),
    voice: text('ID|NAME', 'a voice of the model, or a cloned one by its id or name'),
    format: text(
      'FORMAT',
      'of the sound; by default what the name of -o ends in, else as the model has it',
      { choices: speechFormats },
    ),
    speed: number('N', `from ${String(speed.min)} to ${String(speed.max)}; 1 is normal`, {
      min: speed.min,
      max: speed.max,
    }),
    ...under('Output', {
      ...output('FILE|DIR/|-', 'where the sound goes; - is stdout, as it arrives'),
      open: flag("play the file with the system's player"),
    }),
    ...under('Long texts', {
      maxChars: integer('N', 'pay for no more than this many characters', { min: 1 }),
      split: flag(`refuse a text of more than ${String(inputCharacters.max)} characters`, {
        negated: true,
      }),
    }),
    new: newRun,
    resume: flag('go on after a cut: what was spoken is not paid again', { heading: 'Long texts' }),
  },
  examples: [
    'svc --local speak "hello" -o hi.wav # offline, no account',
    'svc speak -m vendor/voice -f letter.txt -o letter.mp3 # a file',
    'echo "Dinner!" | svc speak -m vendor/voice --format mp3 -o - | mpv - # heard at once',
    'svc speak -m vendor/voice --voice Anna -f book.txt -o book.mp3 --max-chars 200000 # a whole book in a cloned voice',
  ],
  endpoints: ['audio.speech', 'voices.list', 'models.capabilities'],
  conflicts: [['-o -', '--json', '--open', '--force', '--resume']],
  load: (): Promise<Loaded> => import('./speak.js'),
});
