/** Section 4 of the interface specification, transcribed by hand: what the rows must say. */

interface Line {
  readonly section: string;
  readonly method: string;
  readonly path: string;
  /** The words of the column Auth. */
  readonly auth: string;
  /** Absent where section 4.10 shows none. */
  readonly statuses: readonly number[] | undefined;
}

// GET /api/media-catalog stands in 4.9 a second time. Where 4.10 names no authentication, sections
// 5.1 and 5.3 say Bearer.
const table = `
4.1  POST  /v1/chat/completions  Bearer  200 401 402 429
4.1  POST  /v1/messages  Key  200 401 402 429
4.1  POST  /v1/responses  Bearer  200 401 402 429
4.1  POST  /v1/messages/count_tokens  Key  200 401
4.2  GET  /v1/models  Bearer  200 401
4.2  GET  /v1/model-capabilities  Bearer  200 401
4.2  GET  /v1/pricing  Bearer  200 401
4.2  POST  /v1/embeddings  Bearer  200 401 402
4.2  POST  /v1/decisions  Bearer  200 400 401 402 502 504
4.3  POST  /api/media/generate  Bearer  202 400 401 402 409 422 502 503
4.3  POST  /api/media/public-price  none  200 400 404 422 503
4.3  POST  /api/media/price  Bearer  200 400 401 422 500 503
4.3  GET  /api/media/jobs/{id}  Bearer  200 401 404
4.3  GET  /api/media/file/{id}/{idx}  none; query sig required  200 404 410
4.3  GET  /api/media-catalog  none  200
4.3  POST  /api/media/svc/extend/price  Bearer  200 401
4.3  POST  /api/media/svc/extend  Bearer  202 401 402 404
4.4  POST  /v1/images/generations  Bearer  200 400 401 402 404 502 504
4.4  GET  /v1/images/generations  Bearer  200 401
4.4  POST  /v1/audio/speech  Bearer  200 400 401 402 502
4.4  POST  /v1/audio/transcriptions  Bearer  200 400 401 402 502
4.5  GET  /api/media/voices  Bearer  200 401
4.5  POST  /api/media/voices  Bearer  201 401 409 413 422
4.5  DELETE  /api/media/voices/{id}  Bearer  200 401 404
4.5  POST  /api/media/voices/{id}/samples  Bearer  200 401 404 409 413 422 429 502
4.6  POST  /api/search  Bearer  200 401 402 429
4.6  POST  /v1/search  Bearer  200 401 402 429
4.7  GET  /v1/balance  Bearer  200 401
4.7  GET  /v1/generations  Bearer  200 401
4.7  GET  /v1/generations/{id}  Bearer  200 401 404
4.8  POST  /v1/tickets  Key (or cabinet session)  201 200 400 401 413 415 429
4.8  GET  /v1/tickets  Key  200 400 401
4.8  GET  /v1/tickets/{id}  Key  200 401 404
4.8  POST  /v1/tickets/{id}/messages  Key  201 400 401 404 409 429
4.8  POST  /v1/tickets/{id}/close  Key  200 401 404
4.8  GET  /v1/tickets/{id}/attachments/{attachmentId}  Key  200 401 404
4.8  POST  /v1/technical-feedback  Bearer  201 200 400 401 422
4.8  GET  /v1/technical-feedback/{id}  Bearer  200 401 404
4.9  GET  /api/catalog  none  200
4.10  GET  /v1/models/all  Bearer
4.10  GET  /v1/models/{id}  Bearer
4.10  GET  /v1/usage  Bearer
4.10  GET  /api/key/usage  Key
4.10  GET  /v1/keys  Bearer
4.10  GET  /api/webhooks  cabinet session
4.10  PATCH  /api/webhooks  cabinet session
4.10  POST  /v1/files  Bearer
4.10  GET  /api/openapi  Bearer
`;

export const lines: readonly Line[] = table
  .trim()
  .split('\n')
  .map((line) => {
    const [section = '', method = '', path = '', auth = '', statuses] = line.split(/ {2,}/);
    return { section, method, path, auth, statuses: statuses?.split(' ').map(Number) };
  });
