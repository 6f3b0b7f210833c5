/** What a person types for a ticket: in a file until it is sent, so that no failure loses it. */
import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../../cli/context.js';
import { UsageError } from '../../errors.js';
import { codeOf, fileTrouble } from '../../files/file-trouble.js';
import { makeFolder, readOwn } from '../../lib/own-file.js';
import { plainText } from '../../lib/plain-text.js';
import { shellWord } from '../../lib/names.js';
import { editorFrom, runEditor } from '../../terminal/viewer.js';

export interface Draft {
  /** Tells the command that sends a text like this one, up to the name of its file. */
  sentBy(command: string): void;
  /**
   * Has the message written in the person's editor; where none is named, on a line.
   * @throws UsageError when the editor fails or leaves nothing; PromptClosed.
   */
  write(question: { readonly message: string; readonly help: string }): Promise<string>;
}

/** Does the work with a draft. When it fails, what was typed stays in a file, which is named. */
export async function withDraft<Result>(
  context: Context,
  work: (draft: Draft) => Promise<Result>,
): Promise<Result> {
  const path = join(context.paths.data, 'drafts', `ticket-${randomUUID().slice(0, 8)}.txt`);
  const kept = { text: '', command: '' };
  try {
    const result = await work({
      sentBy: (command) => {
        kept.command = command;
      },
      write: async ({ message, help }) => {
        const command = editorFrom(context.env);
        kept.text =
          command === undefined
            ? await context.prompts.text({ message })
            : await edited(context, { command, path, help, keep: (text) => (kept.text = text) });
        if (kept.text.trim() !== '') {
          // From now on the file is the message and nothing else, also after a crash.
          writeDraft(path, kept.text);
          return kept.text;
        }
        throw new UsageError('the message is empty; nothing was sent', { code: 'empty_text' });
      },
    });
    rmSync(path, { force: true });
    return result;
  } catch (error) {
    keep(context, path, kept);
    throw error;
  }
}

/** Written again, for what the editor had before it may hold words of ours. */
function keep(
  { out, onward }: Context,
  path: string,
  { text, command }: { text: string; command: string },
): void {
  try {
    if (text.trim() === '') {
      rmSync(path, { force: true });
      return;
    }
    writeDraft(path, text);
    out.error(
      `what you wrote is kept in ${path}; send it: ${onward(command)} -f ${shellWord(path)}`,
    );
  } catch (trouble) {
    const why = trouble instanceof Error ? plainText(trouble.message, 200) : '';
    out.error(`what you wrote could not be kept in ${path}: ${why}\n${text}`);
  }
}

const scissors = '# ------------------------ >8 ------------------------';

interface Edit {
  readonly command: string;
  readonly path: string;
  readonly help: string;
  /** Told of what was written, also when the editor fails. */
  readonly keep: (text: string) => void;
}

async function edited(
  { env, signal }: Context,
  { command, path, help, keep }: Edit,
): Promise<string> {
  const lines = help.split('\n').map((line) => `# ${line}`);
  writeDraft(
    path,
    ['', '', scissors, '# This line and all below it are left out.', ...lines, ''].join('\n'),
  );
  let failure: string | undefined;
  try {
    failure = await runEditor({ command, path, env, signal });
  } finally {
    keep(written(path));
  }
  if (failure === undefined) return written(path);
  throw new UsageError(`the editor ${failure}; nothing was sent`, {
    code: 'editor_failed',
    hint: `name one that works in VISUAL or EDITOR, or give the message with --message or -f`,
  });
}

/** What stands above the line, without the empty lines around it. */
function written(path: string): string {
  const [text = ''] = read(path).replaceAll('\r\n', '\n').split(scissors);
  return text.replace(/^\s*\n/, '').trimEnd();
}

function read(path: string): string {
  try {
    return readOwn(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return '';
    throw fileTrouble(error, `cannot read ${path}`);
  }
}

function writeDraft(path: string, text: string): void {
  try {
    makeFolder(join(path, '..'));
    writeFileSync(path, text, { mode: 0o600 });
  } catch (error) {
    throw fileTrouble(error, `cannot write ${path}`);
  }
}
