/** The only writer to stdout and stderr: data to the one, words for people to the other. */
import { toJson } from '../lib/json.js';
import { ignore, type OutputOptions, plain, TerminalNotes } from './notes.js';
import {
  colouredJson,
  oneLine,
  sanitise,
  sanitiseJson,
  type Style,
  styleFor,
  takesColour,
  takesLinks,
} from './screen.js';
import { columnName } from './types.js';
import type { Column, Output, Rows, Span, TextSink, Written } from './types.js';

export class TerminalOutput extends TerminalNotes implements Output {
  readonly isFiltered: boolean;
  /** Until the end: a filter needs complete values. */
  #unfiltered = '';

  constructor(options: OutputOptions) {
    super(options);
    this.isFiltered = options.filter !== undefined;
  }

  open(): void {
    this.stdout.open();
  }

  text(data: string): Written {
    return this.#show(this.#forScreen(data));
  }

  line(data: string): Written {
    return this.text(`${data}\n`);
  }

  spans(spans: readonly Span[]): Written {
    return this.stdout.isTerminal
      ? this.#show(`${this.styled(spans)}\n`)
      : this.stdout.write(`${plain(spans)}\n`);
  }

  bytes(data: Uint8Array): Written {
    return this.stdout.write(data);
  }

  async markdown(): Promise<TextSink> {
    const screen = await this.#markdownScreen();
    if (!screen) return { write: (data) => this.text(data), end: ignore };
    this.onInterrupt = () => screen.interrupt();
    return {
      write: (data) => this.#show(screen.push(sanitise(data))),
      end: () => this.#show(screen.end()),
    };
  }

  async markdownLines(text: string): Promise<void> {
    const screen = await this.#markdownScreen();
    const shown = screen ? screen.push(sanitise(text)) + screen.end() : this.#forScreen(text);
    await this.#show(shown.endsWith('\n') ? shown : `${shown}\n`);
  }

  async #markdownScreen() {
    const { env } = this.options;
    if (!this.stdout.isTerminal || this.isPlain || !takesColour(env, true)) return undefined;
    const { MarkdownScreen } = await import('./markdown.js');
    return new MarkdownScreen({
      style: this.style,
      takesLinks: takesLinks(env),
      size: () => ({ columns: this.columns, rows: this.stdout.open().rows ?? 0 }),
    });
  }

  json(value: unknown): Written {
    // JSON has no form for undefined; a reply without a body is null.
    return this.jsonText(`${toJson(value ?? null, 2)}\n`);
  }

  jsonLine(value: unknown): Written {
    return this.jsonText(`${toJson(value ?? null)}\n`);
  }

  jsonText(json: string): Written {
    if (!this.isFiltered) return this.#writeJson(json);
    this.#unfiltered += json;
  }

  async table(columns: readonly Column[], rows: Rows): Promise<void> {
    await (
      await this.growingTable(columns)
    )(rows);
  }

  async growingTable(columns: readonly Column[]): Promise<(rows: Rows) => Promise<void>> {
    if (!this.isTerminal) return this.#pipedTable(columns);
    const { growingTable } = await import('./table.js');
    const draw = growingTable(columns, this.#tableLook());
    return async (rows) => {
      if (rows.length > 0) await this.stdout.write(draw(rows));
    };
  }

  async #pipedTable(columns: readonly Column[]): Promise<(rows: Rows) => Promise<void>> {
    const data = columns.filter(({ isDrawn }) => !isDrawn);
    if (this.options.header) await this.stdout.write(this.#tabSeparated([data.map(columnName)]));
    return async (rows) => {
      const cells = rows.map((row) => row.filter((_, index) => !columns[index]?.isDrawn));
      if (rows.length > 0) await this.stdout.write(this.#tabSeparated(cells));
    };
  }

  async fields(fields: Rows): Promise<void> {
    const table = this.isTerminal && fields.length > 0 ? await import('./table.js') : undefined;
    const names = ['name', 'value', 'source'].slice(0, fields[0]?.length ?? 2);
    const lines = this.options.header && !this.isTerminal ? [names, ...fields] : fields;
    const text = table?.drawFields(fields, this.#tableLook()) ?? this.#tabSeparated(lines);
    await this.stdout.write(text);
  }

  help(draw: (style: Style) => string): Written {
    return this.stdout.write(draw(styleFor(this.options.env, this.stdout.isTerminal)));
  }

  async end(): Promise<void> {
    const { filter } = this.options;
    const json = this.#unfiltered;
    this.#unfiltered = '';
    if (filter && json !== '') {
      let filtered: string;
      try {
        filtered = filter.run(json);
      } catch (error) {
        await this.#writeJson(json);
        throw error;
      }
      await (filter.isRaw ? this.text(filtered) : this.#writeJson(filtered));
    }
    await this.flush();
  }

  #show(harmless: string): Written {
    this.closeAside();
    if (harmless === '') return;
    this.isTextOpen = !harmless.endsWith('\n');
    return this.stdout.write(harmless);
  }

  #forScreen(data: string): string {
    return this.stdout.isTerminal ? sanitise(data) : data;
  }

  #writeJson(json: string): Written {
    if (!this.stdout.isTerminal) return this.stdout.write(json);
    return this.stdout.write(colouredJson(sanitiseJson(json), this.style));
  }

  #tableLook() {
    return { width: this.columns, style: this.style };
  }

  #tabSeparated = (rows: Rows): string =>
    this.#forScreen(rows.map((row) => `${row.map(oneLine).join('\t')}\n`).join(''));
}
