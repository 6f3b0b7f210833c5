/** Help on what belongs to no single command: `svc help exit-codes`. */
import { variables } from './environment.js';
import { exitCodeMeanings } from './exit-codes.js';

export interface Topic {
  readonly name: string;
  readonly summary: string;
  readonly text: () => string;
}

export const topics: readonly Topic[] = [
  {
    name: 'exit-codes',
    summary: 'what the exit codes mean',
    text: () => {
      const rows = exitCodeMeanings.map(([code, meaning]) => [String(code), meaning] as const);
      return `svc ends with one of these exit codes:\n\n${columns(rows)}`;
    },
  },
  {
    name: 'environment',
    summary: 'the environment variables that svc heeds',
    text: () => {
      const rows = variables.map(({ name, summary }) => [name, summary] as const);
      return `svc heeds these environment variables:\n\n${columns(rows)}`;
    },
  },
];

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`).join('');
}
