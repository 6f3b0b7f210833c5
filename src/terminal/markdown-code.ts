/** Highlights the code of an answer line by line: a line's colours depend only on what precedes it. */
import { StringStream, type StreamParser } from '@codemirror/streamparser';
import * as clike from '@codemirror/legacy-modes/mode/clike';
import { css } from '@codemirror/legacy-modes/mode/css';
import { diff } from '@codemirror/legacy-modes/mode/diff';
import { dockerFile } from '@codemirror/legacy-modes/mode/dockerfile';
import { go } from '@codemirror/legacy-modes/mode/go';
import { javascript, json, typescript } from '@codemirror/legacy-modes/mode/javascript';
import { python } from '@codemirror/legacy-modes/mode/python';
import { ruby } from '@codemirror/legacy-modes/mode/ruby';
import { rust } from '@codemirror/legacy-modes/mode/rust';
import { shell } from '@codemirror/legacy-modes/mode/shell';
import { standardSQL } from '@codemirror/legacy-modes/mode/sql';
import { toml } from '@codemirror/legacy-modes/mode/toml';
import { html, xml } from '@codemirror/legacy-modes/mode/xml';
import { yaml } from '@codemirror/legacy-modes/mode/yaml';
import type { Look, StyledText } from './screen.js';

const parsers: readonly (readonly [names: string, parser: StreamParser<unknown>])[] = [
  ['bash sh shell zsh console make makefile powershell ps1', shell],
  ['c h', clike.c],
  ['cpp c++ cc hpp', clike.cpp],
  ['csharp cs c#', clike.csharp],
  ['css scss less', css],
  ['diff patch', diff],
  ['dockerfile docker', dockerFile],
  ['go golang', go],
  ['html vue svelte', html],
  ['java php', clike.java],
  ['javascript js jsx mjs cjs node', javascript],
  ['json jsonc json5 jsonl', json],
  ['kotlin kt swift scala dart', clike.kotlin],
  ['python py python3', python],
  ['ruby rb', ruby],
  ['rust rs', rust],
  ['sql mysql postgresql sqlite', standardSQL],
  ['toml ini conf env properties', toml],
  ['typescript ts tsx', typescript],
  ['xml svg', xml],
  ['yaml yml', yaml],
];

/** By how the name of a token begins. */
const looks: readonly (readonly [names: RegExp, look: Look])[] = [
  [/^(comment|meta|processing)/, 'dim'],
  [/^(string|inserted|regexp)/, 'green'],
  [/^(number|atom|bool|literal)/, 'yellow'],
  [/^(keyword|tag|def|builtin|modifier|attribute|property)/, 'cyan'],
  [/^(deleted|invalid)/, 'red'],
];

const indentColumns = 2;
/** Some languages take quadratic time on a line. */
const maxLineLength = 2000;

/**
 * @param info the words after the mark of a fence.
 * @returns a function that takes the lines in order; without a known language all code is cyan.
 */
export function highlighter(info: string): (line: string) => readonly StyledText[] {
  const name = /^[^\s{,:]*/.exec(info.trim())?.[0].toLowerCase() ?? '';
  const parser = parsers.find(([names]) => names.split(' ').includes(name))?.[1];
  const state = parser?.startState?.(indentColumns) ?? {};
  return (line) => {
    const plain: StyledText[] = line === '' ? [] : [{ text: line, looks: ['cyan'] }];
    try {
      return parser && line.length <= maxLineLength ? spansOf(line, parser, state) : plain;
    } catch {
      return plain;
    }
  };
}

function spansOf(
  line: string,
  parser: StreamParser<unknown>,
  state: unknown,
): readonly StyledText[] {
  const spans: StyledText[] = [];
  const stream = new StringStream(line, indentColumns, indentColumns);
  if (stream.eol()) parser.blankLine?.(state, indentColumns);
  // A token may be empty when it only changes the state.
  for (let tries = 0; !stream.eol() && tries < 10; tries++) {
    const token = parser.token(stream, state) ?? '';
    const text = stream.current();
    if (text === '') continue;
    const look = looks.find(([names]) => names.test(token))?.[1];
    spans.push({ text, looks: look ? [look] : [] });
    stream.start = stream.pos;
    tries = 0;
  }
  const rest = line.slice(stream.start);
  return rest === '' ? spans : [...spans, { text: rest, looks: [] }];
}
