import { command, type Loaded } from '../../cli/declaration.js';
import { speechFormats } from '../../contract/enums.js';
import * as limits from '../../contract/limits.js';
import { newRun } from '../../jobs/options.js';

const { inputCharacters, speed } = limits.speech;

export const speak = {
  ...command({
    name: 'speak',
    summary: 'speak a text',
    description: `Speak a text: words, a file, or what is piped in. The sound goes to a file, whose path is all that stdout gets, or with -o - to stdout as it arrives.\nMore than ${String(inputCharacters.max)} characters are spoken in pieces and joined.`,
    args: [{ name: 'text', summary: 'what to say', many: true }],
    options: {
      file: {
        type: 'text',
        short: 'f',
        value: 'FILE',
        summary: 'a text file to speak; - is stdin',
        completes: 'file',
      },
      model: {
        type: 'text',
        short: 'm',
        value: 'ID',
        summary: 'the speech model (see `svc models list --all`)',
        completes: 'model',
      },
      voice: {
        type: 'text',
        value: 'ID|NAME',
        summary: 'a voice of the model, or a cloned one by its id or name',
      },
      format: {
        type: 'text',
        value: 'FORMAT',
        summary: 'of the sound; by default what the name of -o ends in, else as the model has it',
        choices: speechFormats,
      },
      speed: {
        type: 'number',
        value: 'N',
        summary: `from ${String(speed.min)} to ${String(speed.max)}; 1 is normal`,
        min: speed.min,
        max: speed.max,
      },
      output: {
        type: 'text',
        short: 'o',
        value: 'FILE|DIR/|-',
        summary: 'where the sound goes; - is stdout, as it arrives',
        completes: 'file',
        heading: 'Output',
      },
      force: { type: 'switch', summary: 'replace the file of -o', heading: 'Output' },
      open: {
        type: 'switch',
        summary: "play the file with the system's player",
        heading: 'Output',
      },
      maxChars: {
        type: 'integer',
        value: 'N',
        summary: 'pay for no more than this many characters',
        min: 1,
        heading: 'Long texts',
      },
      split: {
        type: 'switch',
        negated: true,
        summary: `refuse a text of more than ${String(inputCharacters.max)} characters`,
        heading: 'Long texts',
      },
      new: newRun,
      resume: {
        type: 'switch',
        summary: 'go on after a cut: what was spoken is not paid again',
        heading: 'Long texts',
      },
    },
    examples: [
      { command: 'svc --local speak "hello" -o hi.wav', note: 'offline, no account' },
      { command: 'svc speak -m vendor/voice -f letter.txt -o letter.mp3', note: 'a file' },
      {
        command: 'echo "Dinner!" | svc speak -m vendor/voice --format mp3 -o - | mpv -',
        note: 'heard at once',
      },
      {
        command:
          'svc speak -m vendor/voice --voice Anna -f book.txt -o book.mp3 --max-chars 200000',
        note: 'a whole book in a cloned voice',
      },
    ],
    endpoints: ['audio.speech', 'voices.list', 'models.capabilities'],
    load: (): Promise<Loaded> => import('./speak.js'),
  }),
  heading: 'Audio',
} as const;
