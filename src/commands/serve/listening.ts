import { UsageError } from '../../errors.js';
import { codeOf } from '../../files/file-trouble.js';
import { listen, ListenError, type ListenOptions } from '../../service/listen.js';
import type { Service } from '../../service/service.js';

/** @throws UsageError where the address cannot be used: the port is a flag. */
export async function listenAt(service: Pick<Service, 'answer'>, options: ListenOptions) {
  return listen(service, options).catch((cause: unknown) => {
    if (!(cause instanceof ListenError)) throw cause;
    const isTaken = codeOf(cause.cause) === 'EADDRINUSE';
    const code = isTaken ? 'port_taken' : 'cannot_listen';
    const hint = 'choose another port; --port 0 picks a free one';
    const message = isTaken ? `port ${options.port} is taken` : cause.message;
    throw new UsageError(message, { code, hint, cause });
  });
}
