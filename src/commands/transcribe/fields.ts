/** What is said of a recording, beside the recording itself. */
import type { Context } from '../../cli/context.js';
import type { InputOf } from '../../cli/declaration.js';
import { explain } from '../../contract/explain.js';
import { TranscriptionRequest } from '../../contract/audio.js';
import { UsageError } from '../../errors.js';
import type { transcribe } from './index.js';

export interface Fields {
  readonly model: string;
  readonly language?: string;
}

/** @throws UsageError before anything is sent. */
export function fieldsFrom(
  { flags }: Context,
  { model: given, language }: InputOf<typeof transcribe>['options'],
): Fields {
  // The default model of a profile is one to chat with.
  const model = given?.trim() ?? (flags.local ? 'local/transcribe' : '');
  if (model === '') {
    throw new UsageError('no model is named', {
      code: 'no_model',
      hint: 'give -m MODEL: `svc models list --all` shows those that listen',
    });
  }
  const fields = { model, ...(language === undefined ? {} : { language }) };
  const fault = TranscriptionRequest.safeParse(fields).error;
  if (fault) throw new UsageError(explain(fault, fields), { code: 'invalid_input' });
  return fields;
}
