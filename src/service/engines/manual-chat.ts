/** The part of the manual on asking models. */
import type { Passage } from './passage.js';

export const chatPassages: readonly Passage[] = [
  {
    title: 'Asking a question',
    text:
      '`svc chat` sends the prompt to a model and writes the answer to stdout as it arrives. Words ' +
      'after the command are joined to one prompt; quote it so that the shell leaves it alone. ' +
      'Choose the model with `-m`.',
    command: 'svc chat -m local/guide "How do I see my balance?"',
  },
  {
    title: 'The system prompt',
    text:
      '`-s` gives the model standing instructions, the system prompt: its role, tone or language. ' +
      'The prompt itself stays what you ask.',
    command: 'svc chat -s "Answer in one sentence." "What is a pipe?"',
  },
  {
    title: 'Piping text in (stdin)',
    text:
      'Piped text comes first, then the prompt; text alone is the prompt. Standard input is read to ' +
      'its end, without a timer and without a cut, so a log or a diff of any size may be sent.',
    command: 'git diff | svc chat "Write a commit message for this."',
  },
  {
    title: 'Piping the answer on (stdout)',
    text:
      'stdout holds the answer and nothing else; reasoning, tokens and price go to stderr. A pipe ' +
      'gets the bytes as they came, a slow reader is waited for, and when the reader goes away svc ' +
      'stops at once, with exit code 141.',
    command: 'svc chat "Ten names for a cat" | head -3',
  },
  {
    title: 'Sending files and images',
    text:
      '`-a` attaches a file, a URL or, with `-`, standard input: PNG, JPEG, GIF and WebP images go ' +
      'as pictures, text files as text. It may be repeated.',
    command: 'svc chat -a photo.jpg "What is this?"',
  },
  {
    title: 'Saving the answer to a file',
    text:
      '`-o FILE` writes the answer to a new file. A file that exists is refused unless `--force` is ' +
      'given. `-o -` is stdout.',
    command: 'svc chat -o answer.md "Explain DNS"',
  },
  {
    title: 'Only the code',
    text:
      '`-x` prints only the first fenced code block of the answer, so that it can be run or written ' +
      'to a file.',
    command: 'svc chat -x "a bash loop over *.png" > loop.sh',
  },
  {
    title: 'JSON output for scripts',
    text:
      '`--json` prints one object at the end: text, reasoning, tool calls, usage, cost and ids. A ' +
      'failure is then one JSON object on stderr, with its exit code, status, message and hint.',
    command: 'svc chat --json "hi" | jq .cost.priceRub',
  },
  {
    title: 'Events as they happen',
    text:
      '`--events` prints each event of the stream as a line of JSON (NDJSON) as it happens; `done` ' +
      'is always the last. It cannot be combined with `--json`.',
    command: 'svc chat --events "hi"',
  },
  {
    title: 'Waiting for the whole answer',
    text: '`--no-stream` asks for the answer in one piece instead of a stream.',
    command: 'svc chat --no-stream "hi"',
  },
  {
    title: 'Structured answers: JSON and JSON Schema',
    text:
      '`--schema FILE` makes the answer fit a JSON Schema; `--json-object` only asks for some JSON ' +
      'object. Both work in the formats chat and responses.',
    command: 'svc chat --schema person.json "Invent a person"',
  },
  {
    title: 'Tools and function calls',
    text:
      '`--tools FILE` offers functions to the model: a JSON array of definitions with a name and a ' +
      'schema of parameters. `--tool-choice` is auto, none, required, or the name of a tool. The calls ' +
      'are in the output of `--json`.',
    command: 'svc chat --tools tools.json --json "What is the weather in Oslo?"',
  },
  {
    title: 'Reasoning and thinking',
    text:
      '`--reasoning-effort` sets how hard a model thinks (formats chat and responses), ' +
      '`--reasoning-summary` asks for a summary of it (responses), `--thinking-budget` gives tokens ' +
      'to think with (messages). Reasoning is shown dim on stderr; `--no-reasoning` hides it.',
    command: 'svc chat --reasoning-effort high "Is 1009 prime?"',
  },
  {
    title: 'Limiting the length of an answer',
    text:
      '`--max-tokens` ends the answer after that many tokens, about four characters each. It also ' +
      'bounds what the answer can cost.',
    command: 'svc chat --max-tokens 100 "Tell me about Oslo"',
  },
  {
    title: 'Temperature and sampling',
    text:
      '`--temperature` goes from 0 to 2: lower is more predictable, higher more varied. `--top-p` ' +
      'samples from the likeliest share only.',
    command: 'svc chat --temperature 0 "Name a colour"',
  },
  {
    title: 'The three wire formats',
    text:
      'A question can be sent as chat completions, messages or responses: `--format chat`, ' +
      '`--format messages`, `--format responses`. The answer looks the same; some options exist in ' +
      'some formats only, and svc says so before anything is sent.',
    command: 'svc chat --format messages "hi"',
  },
  {
    title: 'Counting tokens before asking',
    text:
      '`--count-tokens` estimates the input tokens of a prompt instead of asking: about four ' +
      'characters each. It costs nothing.',
    command: 'svc chat --count-tokens < book.txt',
  },
];
