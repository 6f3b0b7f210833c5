import type { SessionTexts } from '../session.js';

export const session: SessionTexts = {
  commands: {
    model: 'choose the model, or take this one',
    system: 'show or change the system prompt; clear removes it',
    attach: 'attach an image or a text file',
    search: 'search the web first',
    retry: 'ask the last question again, for example after /model',
    edit: 'change the last question in your editor, and ask again',
    undo: 'remove the last question and its answer',
    copy: 'copy the last answer, or its first code block',
    save: 'name the conversation',
    load: 'continue another conversation',
    cost: 'show what was spent, and your balance',
    tokens: 'estimate the tokens of the conversation (free)',
    help: 'list the commands',
    exit: 'leave, as Ctrl-D does',
  },
  note: 'End a line with \\ to continue it; put """ before and after a longer text. Ctrl-C stops an answer, Ctrl-R searches earlier lines, Ctrl-L clears the screen.',
  newConversation: 'a new conversation',
  helpIsThere: '/help lists the commands',
  costs: { session: 'session', conversation: 'conversation', balance: 'balance' },
  cost: (amount) => `this session cost ${amount}`,
  toContinue: (command) => `to continue: ${command}`,
};
