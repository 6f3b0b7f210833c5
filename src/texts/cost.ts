/** The line after an answer: what it took, what it has cost, and what is left. Amounts come with their unit. */
export interface CostTexts {
  readonly balance: (amount: string) => string;
  readonly budgetLeft: (amount: string) => string;
  readonly cached: string;
  readonly search: (amount: string) => string;
  /** A count that the service did not say is `?`. */
  readonly tokens: (input: number | '?', output: number | '?') => string;
  /** Of a decision, which has no answer of its own. */
  readonly inputTokens: (count: number) => string;
  readonly turns: (count: number) => string;
  readonly total: string;
  readonly totalAtLeast: (amount: string) => string;
}
