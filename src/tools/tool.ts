/** A tool that a model may call and svc runs. */
import type { JsonRecord } from '../lib/json.js';

export interface Tool {
  readonly name: string;
  readonly description?: string;
  /** The JSON Schema of its arguments. */
  readonly parameters: JsonRecord;
  /** Arguments that fit the schema. A tool that fails returns what the model should read of it. */
  readonly run: (args: JsonRecord, signal: AbortSignal) => Promise<ToolResult>;
}

export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
}
