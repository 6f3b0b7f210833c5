/** What a run would refuse under its ceilings, and the limit of answers under which all lines fit. */
import { stepsPerRub } from '../../spending/price-limit.js';
import { fewestTokens, messagesMaxTokens } from '../../contract/limits.js';
import { formatRub } from '../../lib/amounts.js';

export class CeilingCheck {
  /** Lines whose answer has no limit. */
  open = 0;
  /** What one token more costs in all open lines. */
  #openRubPerToken = 0;
  #totalRub = 0;
  #refused = 0;
  #firstLine = 0;

  /** @param leftRub for all lines together @param limit what it is left of */
  constructor(
    private readonly leftRub: number,
    private readonly limit: string,
  ) {}

  /**
   * @param mostRub what the line may cost; NaN where it is not known
   * @param outputRub what a token of its answer costs; 0 where the answer has a limit
   */
  add(line: number, maxRub: number, outputRub: number): void {
    if (this.leftRub < Infinity && !(maxRub <= this.leftRub)) {
      this.#refused += 1;
      this.#firstLine ||= line;
    }
    if (!(maxRub >= 0)) return;
    this.#totalRub += maxRub;
    if (!(outputRub > 0)) return;
    this.open += 1;
    this.#openRubPerToken += outputRub;
  }

  facts() {
    const isSafe = this.#refused === 0 && this.#totalRub <= this.leftRub;
    return {
      refused: this.#refused,
      firstRefusedLine: this.#firstLine || undefined,
      fittingMaxTokens: isSafe ? undefined : this.#fittingTokens(),
    };
  }

  /** For people; undefined where all lines surely fit. */
  words(): string | undefined {
    const { firstRefusedLine: first, fittingMaxTokens: tokens, refused } = this.facts();
    if (refused === 0 && this.#totalRub <= this.leftRub) return undefined;
    const left = `the ${formatRub(Math.max(0, this.leftRub))} left of ${this.limit}`;
    const lines = refused === 1 ? '1 line' : `${refused} lines`;
    const what = first
      ? `${lines} would be refused, the first is line ${first}: it may cost more than ${left}`
      : `all lines together may cost more than ${left}, so the run may stop early`;
    const way = tokens === undefined ? '--shorten shortens answers' : `--max-tokens ${tokens} fits`;
    return `${what}; ${way}, or raise the ceiling`;
  }

  /** The largest --max-tokens with which all lines are sent; undefined where there is none. */
  #fittingTokens(): number | undefined {
    // The price of each line is rounded up.
    const roundingRub = this.open / stepsPerRub(this.leftRub / this.open);
    const moreInAll = (this.leftRub - this.#totalRub - roundingRub) / this.#openRubPerToken;
    const tokens = Math.floor(messagesMaxTokens + moreInAll);
    return this.open > 0 && tokens >= fewestTokens ? tokens : undefined;
  }
}
