/** Source files for media jobs (sections 2.11 and 4.10). */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.js';

/** Section 4.10 does not show the fields beside the file. */
const FileUploadRequest = z.looseObject({});

export const uploadFile = endpoint({
  id: 'files.upload',
  section: '4.10',
  summary: 'Upload a file and get its id',
  method: 'POST',
  path: '/v1/files',
  auth: 'bearer',
  retry: 'never',
  body: FileUploadRequest,
  bodyKind: 'multipart',
  // The name of the field is not shown; transcription calls its own the same.
  files: { field: 'file', required: true, maxCount: 1 },
  returns: z.unknown(),
  statuses: [200, 401],
});
