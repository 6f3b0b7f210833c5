/** Draws Markdown for a terminal: the blocks of an answer become lines of styled text. */
import type { Token, Tokens } from 'marked';
import { hardBreak, textWidth, wrapSpans } from '../lib/wrap.js';
import { narrow, sum } from './column-widths.js';
import { isKnown, finalTokens } from './markdown-blocks.js';
import { highlighter } from './markdown-code.js';
import { linkTarget, sanitise, withReadableAddresses } from './screen.js';
import type { Look, StyledText } from './screen.js';

export interface Line {
  /** What is drawn is compared span by span. */
  readonly spans: readonly StyledText[];
  /** Code is neither indented nor wrapped, so that it can be copied. */
  readonly isCode?: boolean;
}

interface DrawOptions {
  readonly columns: number;
  readonly takesLinks: boolean;
  /** Whether the text so far ends with a line feed. */
  readonly endsLine: boolean;
}

export const emptyLine: Line = { spans: [] };
/** Ends with an empty line. */
const endsWithGap = /\n[ \t]*\n[ \t]*$/;

/**
 * @param isOpen when the text may go on: what its next character could change is left out.
 * @returns the lines, and how far they are final: without the last block.
 */
export function drawBlocks(
  tokens: readonly Token[],
  isOpen: boolean,
  options: DrawOptions,
  { lines: before, hasGap }: Pick<Layout, 'lines' | 'hasGap'> = { lines: [], hasGap: false },
) {
  let final: Layout = { lines: before, hasGap, length: 0 };
  let layout = final;
  const last = tokens.findLastIndex(({ type }) => type !== 'space');
  for (const [index, token] of tokens.entries()) {
    const lines = drawBlock(token, isOpen && index === last, options);
    const isApart = layout.hasGap && lines.length > 0 && layout.lines.length > 0;
    layout = {
      lines: [...layout.lines, ...(isApart ? [emptyLine] : []), ...lines],
      hasGap: token.type === 'space' || endsWithGap.test(token.raw),
      length: layout.length + token.raw.length,
    };
    if (index < last) final = layout;
  }
  return { lines: layout.lines, final };
}

export interface Layout {
  readonly lines: readonly Line[];
  /** Whether an empty line follows. */
  readonly hasGap: boolean;
  /** Of the text. */
  readonly length: number;
}

function drawBlock(token: Token, isOpen: boolean, options: DrawOptions): Line[] {
  if (!isKnown(token)) return [];
  const { columns } = options;
  switch (token.type) {
    case 'space':
    case 'checkbox':
      return [];
    case 'heading':
    case 'paragraph':
    case 'text': {
      const looks: Look[] = token.type === 'heading' ? ['bold'] : [];
      return toLines(inline(finalTokens(token.tokens ?? [token], isOpen), options, looks), columns);
    }
    case 'code':
      return drawCode(token, isOpen, options);
    case 'hr':
      return [{ spans: [dim('─'.repeat(columns))] }];
    case 'blockquote': {
      const inner = { ...options, columns: Math.max(columns - 2, 10) };
      return indent(drawBlocks(token.tokens, isOpen, inner).lines, [dim('│'), blank]);
    }
    case 'list':
      return [...drawBlocks(token.items, isOpen, options).lines];
    case 'list_item':
      return drawItem(token, isOpen, options);
    case 'table':
      return drawTable(token, options);
    default: {
      const text = token.raw.trimEnd().replaceAll('\n', hardBreak);
      return toLines([{ text, looks: [] }], columns);
    }
  }
}

const blank: StyledText = { text: ' ', looks: [] };
const dim = (text: string): StyledText => ({ text, looks: ['dim'] });

function drawCode({ text, lang = '' }: Tokens.Code, isOpen: boolean, options: DrawOptions): Line[] {
  const lines = text.replace(/\n$/, '').split('\n');
  if (isOpen && !options.endsLine) lines.pop();
  if (text === '') return [];
  const highlight = highlighter(lang);
  return lines.map((line) => ({ spans: highlight(line), isCode: true }));
}

/** The first line after the mark, the others below it. */
function indent(lines: readonly Line[], first: readonly StyledText[], others = first): Line[] {
  return lines.map((line, index) => {
    if (line.isCode || (line.spans.length === 0 && index > 0 && others !== first)) return line;
    return { spans: [...(index === 0 ? first : others), ...line.spans] };
  });
}

function drawItem(item: Tokens.ListItem, isOpen: boolean, options: DrawOptions): Line[] {
  const number = /^\s*(\d+[.)])/.exec(item.raw)?.[1];
  const box = item.checked ? '☑' : '☐';
  const mark = [number ?? [], item.task ? box : []].flat().join(' ') || '•';
  const margin = mark.length + 1;
  const inner = { ...options, columns: Math.max(options.columns - margin, 10) };
  const lines = [...drawBlocks(item.tokens, isOpen, inner).lines];
  const first = [dim(mark), blank];
  if (lines.length === 0 || lines[0]?.isCode) lines.unshift(emptyLine);
  return indent(lines, first, [{ text: ' '.repeat(margin), looks: [] }]);
}

const withLook = (looks: readonly Look[], look: Look) => [...new Set([...looks, look])];

const entities: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", '#39': "'", nbsp: '\u00a0' },
};

function inline(
  tokens: readonly Token[],
  options: DrawOptions,
  looks: readonly Look[] = [],
): StyledText[] {
  return tokens.flatMap((token): StyledText[] => {
    if (!isKnown(token)) return [];
    switch (token.type) {
      case 'strong':
        return inline(token.tokens, options, withLook(looks, 'bold'));
      case 'em':
        return inline(token.tokens, options, withLook(looks, 'italic'));
      case 'del':
        return inline(token.tokens, options, withLook(looks, 'dim'));
      case 'codespan':
        return [{ text: token.text, looks: [...looks, 'cyan'] }];
      case 'br':
        return [{ text: hardBreak, looks }];
      case 'html':
        return [{ text: /^<br *\/?>$/i.test(token.text) ? hardBreak : token.text, looks }];
      case 'checkbox':
        return [];
      case 'image':
        return withLink([{ text: token.text || 'image', looks }], token.href, options);
      case 'link':
        return withLink(inline(token.tokens, options, looks), token.href, options);
      case 'text': {
        if (token.tokens) return inline(token.tokens, options, looks);
        const decode = (whole: string, name: string) => entities[name] ?? whole;
        const text = token.text.replace(/&(#?\w+);/g, decode);
        // The library decodes `&#27;`, which may begin a sequence of the terminal.
        return [{ text: sanitise(text), looks }];
      }
      default:
        return [{ text: 'text' in token ? token.text : token.raw, looks }];
    }
  });
}

function withLink(
  spans: readonly StyledText[],
  href: string,
  { takesLinks }: DrawOptions,
): StyledText[] {
  const link = linkTarget(href);
  if (takesLinks && link !== undefined) {
    return spans.map(({ text, looks }) => {
      return { text: withReadableAddresses(text), looks: [...looks, 'underline'], link };
    });
  }
  const text = spans.map((span) => span.text).join('');
  const address: StyledText = { text: withReadableAddresses(sanitise(href)), looks: ['underline'] };
  if (text === href.replace(/^mailto:/, ''))
    return [{ ...address, text: withReadableAddresses(text) }];
  return [...spans, { text: ' (', looks: [] }, address, { text: ')', looks: [] }];
}

const between = 2;
const colon: StyledText = { text: ': ', looks: ['bold'] };
/** Narrower columns cannot be read. */
const minColumn = 8;

function drawTable({ header, rows, align }: Tokens.Table, options: DrawOptions): Line[] {
  const titles = header.map((cell) => inline(cell.tokens, options, ['bold']));
  const cells = rows.map((row) => row.map((cell) => inline(cell.tokens, options)));
  const widths = columnWidths([titles, ...cells], options.columns);
  if (!widths) {
    // The screen is too narrow: a line for each cell, after its title.
    const draw = (cell: readonly StyledText[], index: number) =>
      toLines([...(titles[index] ?? []), colon, ...cell], options.columns, true);
    return cells.flatMap((row) => [emptyLine, ...row.flatMap(draw)]).slice(1);
  }
  const rule: Line = { spans: widths.flatMap((width) => [dim('─'.repeat(width)), blank, blank]) };
  const draw = (row: readonly StyledText[][]) => drawRow(row, widths, align);
  return [...draw(titles), { spans: rule.spans.slice(0, -between) }, ...cells.flatMap(draw)];
}

function toLines(spans: readonly StyledText[], columns: number, breaksAll = false): Line[] {
  return wrapSpans(spans, columns, breaksAll).map((line) => ({ spans: line }));
}

export const widthOf = ({ spans }: Line) => sum(spans.map(({ text }) => textWidth(text)));

/** @returns undefined when the columns would be too narrow. */
function columnWidths(
  rows: readonly StyledText[][][],
  columns: number,
): readonly number[] | undefined {
  const natural = (rows[0] ?? []).map((_, index) => {
    const cells = rows.map((row) => toLines(row[index] ?? [], Infinity).map(widthOf));
    return Math.max(3, ...cells.map((lines) => Math.max(0, ...lines)));
  });
  const room = columns - between * (natural.length - 1);
  const widths = narrow(natural, room, () => minColumn);
  return sum(widths) <= room ? widths : undefined;
}

function drawRow(
  row: readonly StyledText[][],
  widths: readonly number[],
  align: Tokens.Table['align'],
) {
  const cells = row.map((cell, index) => toLines(cell, widths[index] ?? 0, true));
  const height = Math.max(1, ...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, y): Line => {
    const spans = cells.flatMap((lines, index) => {
      const line = lines[y] ?? emptyLine;
      const room = (widths[index] ?? 0) - widthOf(line);
      const isRight = align[index] === 'right';
      const left = align[index] === 'center' ? Math.floor(room / 2) : Number(isRight) * room;
      return [...blanks(left), ...line.spans, ...blanks(room - left + between)];
    });
    return { spans: spans.slice(0, spans.findLastIndex(({ text }) => text.trim() !== '') + 1) };
  });
}

const blanks = (count: number) => (count > 0 ? [{ text: ' '.repeat(count), looks: [] }] : []);
