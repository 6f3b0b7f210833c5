import { command, flag, integer, number, output, text, under } from '../../command.js';
import { speechFormats } from '../../contract/enums.js';
import * as limits from '../../contract/limits.js';
import { cacheOption, newRun, priceNote } from '../../jobs/options.js';

const { inputCharacters, speed } = limits.speech;

export const speak = command('speak', 'turn text into speech', {
  heading: 'Media',
  description: `Turn text into speech. The text is an argument, a file or stdin. The audio is written to a file, whose path is printed; with -o -, it is written to stdout as it arrives.\nA text of more than ${String(inputCharacters.max)} characters is spoken in pieces, which are joined.\n${priceNote}`,
  args: [{ name: 'text', summary: 'the text to speak', many: true }],
  options: {
    file: text('FILE', 'a text file to speak; - is stdin', { short: 'f' }),
    model: text.model('the speech model (see `svc models list --all`)'),
    voice: text('ID|NAME', 'a voice of the model, or the id or name of a cloned voice', {
      completes: 'voice',
    }),
    format: text(
      'FORMAT',
      'the audio format (default: the extension of -o, else the model default)',
      { choices: speechFormats },
    ),
    speed: number('N', `the speed, from ${speed.min} to ${speed.max}; 1 is normal`, speed),
    ...under('Output', {
      ...output('FILE|DIR/|-', 'the output file; - is stdout, as it arrives'),
      open: flag('open the file in the system viewer'),
      play: flag('play the speech when it is complete; Ctrl-C stops it'),
    }),
    ...under('Long texts', {
      maxChars: integer('N', 'the most characters to pay for', { min: 1 }),
      split: flag(`refuse a text of more than ${String(inputCharacters.max)} characters`, {
        negated: true,
      }),
    }),
    ...cacheOption,
    new: newRun,
    resume: flag('continue an interrupted run without paying twice', { heading: 'Long texts' }),
  },
  examples: [
    'svc --local speak "hello" -o hi.wav # offline, no account',
    'svc speak -m vendor/voice -f letter.txt -o letter.mp3 # a file',
    'svc speak -m vendor/voice "good morning" --play # hear it at once, and keep the file',
    'echo "Dinner!" | svc speak -m vendor/voice --format mp3 -o - | mpv - # play as it arrives',
    'svc speak -m vendor/voice --voice Anna -f book.txt -o book.mp3 --max-chars 200000 # a whole book in a cloned voice',
  ],
  endpoints: ['audio.speech', 'voices.list', 'models.capabilities'],
  conflicts: [['-o -', '--json', '--open', '--play', '--force', '--resume']],
});
