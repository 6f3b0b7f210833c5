/** The line after an answer: what it took, what it has cost, and what is left. Amounts come with their unit. */
export interface CostTexts {
  readonly balance: (amount: string) => string;
  readonly budgetLeft: (amount: string) => string;
  readonly cached: string;
  readonly search: (amount: string) => string;
  /** A count that the service did not say is `?`. */
  readonly tokens: (input: number | '?', output: number | '?') => string;
  /** A decision is charged for its input alone. */
  readonly inputTokens: (count: number) => string;
  readonly turns: (count: number) => string;
  readonly total: string;
  /** Where some prices are not known. */
  readonly atLeast: (amount: string) => string;
}
