/** The person closed a question instead of answering it: Ctrl-C, Ctrl-D, or a terminal gone. */
export class PromptClosed extends Error {
  override readonly name = 'PromptClosed';
}
