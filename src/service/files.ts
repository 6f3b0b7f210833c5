/** Source files for media jobs. */
import { uploadFile } from '../contract/media.js';
import { json, type Call, type House } from './call.js';
import { badRequest } from './failure.js';
import type { WrittenFile } from './folder.js';
import { measure } from './media/engines/measure.js';
import { MediaRefusal } from './media/engines/types.js';
import { readAt } from './media/sources.js';
import { formParts } from './multipart.js';
import { addFile } from './store/media-files.js';

/** The largest upload, form and all, in bytes. */
const maxUploadBytes = 512 * 1024 * 1024;

/** POST /v1/files: the file goes to disk as it arrives. */
export async function upload(call: Call): Promise<Response> {
  const { house, caller, request } = call;
  const id = `file_${house.newId()}`;
  const createdAtMs = house.clock.now();
  try {
    const { byteLength, fileName } = await receive(house, id, request);
    const measured = await look(house, id, byteLength);
    addFile(house.store, { id, accountId: caller.accountId, byteLength, createdAtMs });
    return json({
      id,
      object: 'file',
      bytes: byteLength,
      created_at: Math.floor(createdAtMs / 1000),
      filename: fileName,
      ...measured,
    });
  } catch (error) {
    await house.media.folder.remove('files', id);
    throw error;
  }
}

async function receive(
  { media }: House,
  id: string,
  request: Request,
): Promise<WrittenFile & { fileName?: string }> {
  const { field } = uploadFile.files;
  let received: (WrittenFile & { fileName?: string }) | undefined;
  for await (const { name, fileName, bytes } of formParts(request, maxUploadBytes)) {
    if (name !== field) continue;
    if (received) throw badRequest(`the form has more than one ${field}`, field);
    received = { ...(await media.folder.write('files', id, bytes)), fileName };
  }
  if (!received) throw badRequest(`the form has no ${field}`, field);
  if (received.byteLength === 0) throw badRequest(`the ${field} is empty`, field);
  return received;
}

/** What the file is, when it is something that a media model could take. */
async function look({ media }: House, id: string, byteLength: number) {
  const handle = await media.folder.open('files', id);
  if (!handle) throw new Error('the file that was just written is not there');
  try {
    const { mediaType, ...measured } = await measure(readAt(handle, byteLength));
    return { media_type: mediaType, ...measured };
  } catch (error) {
    if (error instanceof MediaRefusal) return {};
    throw error;
  } finally {
    await handle.close();
  }
}
