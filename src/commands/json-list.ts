/** A list that is written while it still comes, as the one JSON object that a single page would be. */
import type { JsonRecord } from '../lib/json.js';
import { sanitiseJson } from '../terminal/screen.js';
import type { Output } from '../terminal/types.js';

/**
 * Whatever happens, what was written is JSON in the end: `complete` says whether it is all of the
 * list. A list that breaks off before its first entry is not begun.
 */
export class JsonList {
  #count = 0;
  #isBegun = false;

  /** @param name of the field that holds the list. @param before fields that stand before it. */
  constructor(
    private readonly out: Output,
    private readonly name: string,
    private readonly before: JsonRecord = {},
  ) {}

  write(entries: readonly unknown[]): void | Promise<void> {
    if (entries.length === 0) return undefined;
    const lines = entries.map((entry) => `    ${JSON.stringify(entry)}`).join(',\n');
    const start = this.#count === 0 ? `${this.#head()}\n` : ',\n';
    this.#count += entries.length;
    return this.#put(`${start}${lines}`);
  }

  /** All of it was written. @param after fields that stand behind it. */
  end(after: JsonRecord): void | Promise<void> {
    return this.#close({ ...after, complete: true });
  }

  /** No more will come. */
  breakOff(): void | Promise<void> {
    return this.#isBegun ? this.#close({ complete: false }) : undefined;
  }

  #close(after: JsonRecord): void | Promise<void> {
    const start = this.#count === 0 ? this.#head() : '\n  ';
    return this.#put(`${start}],\n${fields(after).join(',\n')}\n}\n`);
  }

  #head(): string {
    this.#isBegun = true;
    const before = fields(this.before).map((field) => `${field},\n`);
    return `{\n${before.join('')}  ${JSON.stringify(this.name)}: [`;
  }

  #put(text: string): void | Promise<void> {
    // Escaped, so that it is the same value on a terminal.
    return this.out.text(this.out.isTerminal ? sanitiseJson(text) : text);
  }
}

function fields(record: JsonRecord): string[] {
  return Object.entries(record).map(
    ([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value ?? null)}`,
  );
}
