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
  /** What a command has done; what it refuses is an error, in English. */
  readonly done: DoneTexts;
  readonly newConversation: string;
  /** After the model and the conversation, where a session begins. */
  readonly helpIsThere: string;
  /** Before amounts that were spent. */
  readonly costs: Readonly<Record<'session' | 'conversation', string>>;
  /** Below the last line. */
  readonly cost: (amount: string) => string;
  readonly toContinue: (command: string) => string;
}

interface DoneTexts {
  readonly model: (id: string) => string;
  /** Where the models cannot be listed. */
  readonly notChecked: (id: string) => string;
  /** Empty where there is none. */
  readonly system: (prompt: string | readonly object[]) => string;
  readonly attached: (files: readonly string[]) => string;
  readonly willSearch: (query: string) => string;
  readonly named: (name: string) => string;
  readonly unchanged: string;
  readonly undone: string;
  /** `count` may be unknown: `?`. */
  readonly tokens: (count: number | string, hasTools: boolean) => string;
  readonly copied: Readonly<Record<'code' | 'answer', string>>;
}
