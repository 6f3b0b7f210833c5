/** Uploads source files (section 4.10). The reply is not specified: svc searches it for the id. */
import { uploadFile as row } from '../contract/media.js';
import { ApiError } from '../errors.js';
import { fileBody, multipart } from '../http/request-body.js';
import { type FilePart } from '../http/types.js';
import { isRecord, numberOf, recordOf, textOf } from '../lib/json.js';
import { call } from './call.js';
import type { Client } from './client.js';

interface Upload {
  readonly content: { readonly path: string; readonly length: number } | FilePart['content'];
  readonly name: string;
  readonly type: string;
}

export async function uploadFile(client: Client, { content, name, type }: Upload) {
  const isBody = 'open' in content || content instanceof Uint8Array;
  const body = isBody ? content : fileBody(content.path, content.length);
  const payload = multipart([], [{ field: row.files.field, filename: name, type, content: body }]);
  const { data: reply, status } = await call(client, row, { body: {} }, { payload });
  const id = idIn(reply);
  if (id !== undefined) return { id, reply };
  throw new ApiError('the service accepted the file but returned no id', {
    status,
    code: 'invalid_reply',
    hint: 'send it in the request of the job instead: svc generate MODEL --input FILE --inline',
  });
}

function idIn(reply: unknown): string | undefined {
  const whole = recordOf(reply);
  for (const holder of [whole, whole['data'], whole['file']].filter(isRecord)) {
    for (const name of ['id', 'file_id', 'fileId']) {
      const id = textOf(holder[name]) ?? numberOf(holder[name])?.toString();
      if (id !== undefined && id !== '') return id;
    }
  }
  return textOf(whole['data']) ?? textOf(whole['file']);
}
