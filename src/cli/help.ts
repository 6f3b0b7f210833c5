/** The general help, made at build time (dist/help.txt) so that it costs no start. */
import { entries } from '../commands/index.js';
import { buildProgram } from './program.js';

/** What `svc --help` prints. */
export function renderHelp(): string {
  let text = '';
  buildProgram(entries, {
    version: '',
    columns: () => 80,
    writeOut: (piece) => {
      text += piece;
    },
    writeErr: () => undefined,
    onInvocation: () => undefined,
  }).outputHelp();
  return text;
}
