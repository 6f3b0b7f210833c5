/** What can be typed after a slash in a session. */
export type SlashCommand =
  | 'model'
  | 'system'
  | 'attach'
  | 'search'
  | 'retry'
  | 'edit'
  | 'undo'
  | 'copy'
  | 'save'
  | 'load'
  | 'cost'
  | 'tokens'
  | 'help'
  | 'exit';

/** What /help says in a session. */
export interface SessionTexts {
  readonly commands: Readonly<Record<SlashCommand, string>>;
  /** Below the commands: how lines are typed. */
  readonly note: string;
  readonly newConversation: string;
  /** After the model and the conversation, where a session begins. */
  readonly helpIsThere: string;
  /** Before amounts: what was spent, and the balance. */
  readonly costs: Readonly<Record<'session' | 'conversation' | 'balance', string>>;
  /** Below the last line. */
  readonly cost: (amount: string) => string;
  readonly toContinue: (command: string) => string;
}
