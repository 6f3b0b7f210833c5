/** The parts of a request that is a form with files. */
import { boundaryOf, formParts as partsIn, type FormPart } from '../lib/form-parts.js';
import { bodyPieces, type ServiceRequest } from './body.js';
import { badRequest } from './failure.js';

/** @throws ServiceFailure 400 for another body, 413 for one of more than `maxBytes` */
export function formParts(
  request: Pick<ServiceRequest, 'headers' | 'body'>,
  maxBytes: number,
): AsyncGenerator<FormPart> {
  const boundary = boundaryOf(request.headers.get('content-type') ?? '');
  if (boundary === undefined || !request.body) {
    throw badRequest('the request body must be a form with files: multipart/form-data');
  }
  return partsIn(bodyPieces(request, maxBytes), boundary, badRequest);
}
