import { command, flag, group, integer, output, text } from '../../command.js';

/** How many entries of a list are shown. */
export const usualLimit = 20;
const limit = integer('N', 'the number of entries', { min: 1, default: String(usualLimit) });

const program = text('NAME', 'only turns of this program, such as codex');

const summary = 'a turn (12, or @last), or a conversation (c3 or its name)';
const id = { name: 'id', summary, required: true, completes: 'turn' } as const;
const name = { name: 'name', summary: 'words of any language, in quotes' } as const;

export const list = command('list', 'list or search turns, newest first', {
  columns: ['id', 'time', 'conversation', 'model', 'tokens', 'price', 'question'],
  description:
    'List the turns of your conversations, newest first. All the words must be in the question or the answer; the last may be the start of a word. `svc logs WORDS` does the same. Missing prices are looked up. The question of a program has its name before it: [codex].',
  args: [{ name: 'words', summary: 'what to search for', many: true }],
  options: {
    model: text.model('only turns of this model'),
    program,
    since: text.moment('start: yesterday,'),
    conversation: text('NAME|ID', 'only turns of this conversation', { completes: 'conversation' }),
    limit,
    sum: flag('print the number of turns, their tokens and their price'),
  },
  examples: [
    'svc logs # the last turns',
    'svc logs tax --sum # what a topic cost',
    "svc logs --since 7d --limit 1000 --json | jq -r '.[].question' # the questions of a week",
  ],
  endpoints: ['billing.record'],
  conflicts: [['--sum', '--limit']],
});

export const show = command('show', 'show a turn or a conversation', {
  description:
    'Show a question with its answer, or a whole conversation. --curl prints the request of the turn.',
  args: [id],
  examples: [
    'svc logs show 12 # a turn',
    'svc logs show c3 # a conversation',
    'svc logs show 12 --curl # the request of a turn',
  ],
});

export const exporting = command('export', 'export a conversation, or all', {
  description:
    'Export a conversation as Markdown, or as JSON for `svc chat --history -`. The id of a turn exports its conversation up to that turn. With --all, Markdown has a heading for each conversation, and JSON is a list.',
  args: [{ ...id, required: false }],
  options: {
    all: flag('every conversation, the latest first'),
    format: text('FORMAT', 'the form', { choices: ['markdown', 'json'], default: 'markdown' }),
    ...output('FILE', 'write to a new file; - is stdout'),
  },
  examples: [
    'svc logs export tax -o tax.md # to read it',
    'svc logs export --all -o log.md # everything',
    'svc logs export c3 --format json | svc chat --history - "and then?" # elsewhere',
  ],
});

export const deleting = command('delete', 'delete turns or conversations', {
  description:
    'Delete a turn, a conversation, or all older turns, with their texts. svc asks first. After a turn is deleted, its conversation continues without it.',
  args: [{ ...id, required: false }],
  options: {
    before: text.moment('all turns before'),
    all: flag('the whole log'),
    program,
  },
  examples: [
    'svc logs delete 12 # one turn',
    'svc logs delete --before 90d --yes # in a script',
    'svc logs delete --all --program codex # what codex asked',
  ],
  needs: [['--program', '--before', '--all']],
});

export const branch = command('branch', 'start a new conversation from a turn', {
  args: [id, name],
  examples: ['svc logs branch 12 shorter # then: svc chat --conversation shorter'],
});

export const rename = command('rename', 'name a conversation', {
  args: [
    { ...id, completes: 'conversation' },
    { ...name, required: true },
  ],
  examples: [`svc logs rename c3 'My plan: été' # then: svc chat --conversation 'My plan: été'`],
});

export const conversations = command('conversations', 'list conversations, latest first', {
  columns: ['id', 'name', 'turns', 'last', 'first_question'],
  options: { limit },
});

const verbs = [list, show, exporting, deleting, branch, rename, conversations];
export const logs = group('Text', 'logs', 'search and manage your conversations', verbs);
