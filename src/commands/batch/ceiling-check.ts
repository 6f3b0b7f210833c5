/** What a run would refuse under its ceilings, and the limit of answers under which all lines fit. */
import { partsOf } from '../../api/price-limit.js';
import { fewestTokens, messagesMaxTokens } from '../../contract/limits.js';
import { formatRub } from '../../lib/amounts.js';

export class CeilingCheck {
  /** Lines whose answer has no limit of its own, and what one token more costs in all of them. */
  open = 0;
  #openRubPerToken = 0;
  /** With so many tokens, the dearest open line still costs no more than `maxCostRub`. */
  #tokensOfEach = Infinity;
  #totalRub = 0;
  #refused = 0;
  #firstLine = 0;
  readonly #limitRub: number;

  /** @param leftRub for all lines together @param maxCostRub for each */
  constructor(
    private readonly leftRub: number,
    private readonly maxCostRub = Infinity,
  ) {
    this.#limitRub = Math.min(leftRub, maxCostRub);
  }

  /**
   * @param mostRub what the line may cost; NaN where it is not known
   * @param outputRub what a token of its answer costs; 0 where the answer has a limit of its own
   */
  add(line: number, mostRub: number, outputRub: number): void {
    if (this.#limitRub < Infinity && !(mostRub <= this.#limitRub)) {
      this.#refused += 1;
      this.#firstLine ||= line;
    }
    if (!(mostRub >= 0)) return;
    this.#totalRub += mostRub;
    if (!(outputRub > 0)) return;
    this.open += 1;
    this.#openRubPerToken += outputRub;
    const inputRub = mostRub - messagesMaxTokens * outputRub;
    this.#tokensOfEach = Math.min(this.#tokensOfEach, (this.maxCostRub - inputRub) / outputRub);
  }

  facts() {
    const isSafe = this.#refused === 0 && this.#totalRub <= this.leftRub;
    return {
      refused: this.#refused,
      first_refused_line: this.#firstLine || undefined,
      fitting_max_tokens: isSafe ? undefined : this.#fittingTokens(),
    };
  }

  /** For people; undefined where all lines surely fit. */
  words(): string | undefined {
    const { fitting_max_tokens: tokens, refused } = this.facts();
    const lines = `${refused} ${refused === 1 ? 'line' : 'lines'} would be refused, the first is line ${this.#firstLine}`;
    const left = `the ${formatRub(Math.max(0, this.leftRub))} left of the budget`;
    const limit =
      this.maxCostRub < this.leftRub ? `--max-cost ${formatRub(this.maxCostRub)}` : left;
    const all = `all lines together may cost more than ${left}, so the run may stop early`;
    if (refused === 0 && !(this.#totalRub > this.leftRub)) return undefined;
    const what = refused > 0 ? `${lines}: it may cost more than ${limit}` : all;
    const way = tokens === undefined ? '--fit shortens answers' : `--max-tokens ${tokens} fits`;
    return `${what}; ${way}, or raise the ceiling`;
  }

  /** The largest --max-tokens with which all lines are sent; undefined where there is none. */
  #fittingTokens(): number | undefined {
    const inputRub = this.#totalRub - messagesMaxTokens * this.#openRubPerToken;
    // The price of each line is rounded up.
    const roundingRub = this.open / partsOf(this.leftRub / this.open);
    const ofAll = (this.leftRub - inputRub - roundingRub) / this.#openRubPerToken;
    const tokens = Math.floor(Math.min(ofAll, this.#tokensOfEach));
    return this.open > 0 && tokens >= fewestTokens ? tokens : undefined;
  }
}
