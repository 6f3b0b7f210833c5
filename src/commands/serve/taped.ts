/** The embedded service behind a tape: what it answers is recorded, or answered from there. */
import type { Context } from '../../context.js';
import { SvcError } from '../../errors.js';
import { inProcessTransport } from '../../http/in-process.js';
import { PulledBody } from '../../http/pulled.js';
import type { HttpRequest, HttpResponse } from '../../http/types.js';
import { BodyRoom } from '../../proxy/body.js';
import { refusalFor, refusalReply } from '../../proxy/refusal.js';
import { limitBytes } from '../../service/body.js';
import type { Reply } from '../../service/call.js';
import type { Service } from '../../service/service.js';
import { openTape, type TapeOptions } from '../../tapes/taped.js';

/** What a tape looks at of a request's head, and what holds its secrets. */
const noted = ['content-type', 'authorization', 'x-api-key', 'cookie'];
const noTimeouts = { connectMs: 0, firstByteMs: 0, idleMs: 0 };

type Answering = Pick<Service, 'answer'>;

/** @throws LocalFileError for a tape that cannot be read or written */
export function taped(options: TapeOptions, context: Context, service: Answering): Answering {
  const tape = openTape(options, context);
  if (!tape) return service;
  const room = new BodyRoom();
  return {
    answer: async (request) => {
      const { headers, method, signal, url } = request;
      if (!URL.canParse(url)) return service.answer(request);
      let own: Reply | undefined;
      const inner = inProcessTransport(
        async (sent) => (own = await service.answer({ ...sent, headers })),
      );
      const pieces = request.body instanceof Uint8Array ? [request.body] : (request.body ?? []);
      const { close, payload } = await room.hold(limitBytes(pieces, Infinity, Error));
      const head = noted.map((name) => [name, headers.get(name) ?? ''] as const);
      const asked: HttpRequest = {
        method,
        url: new URL(url),
        headers: Object.fromEntries(head.filter(([, value]) => value !== '')),
        body: payload.length > 0 ? payload : undefined,
        timeouts: noTimeouts,
        signal,
      };
      const response = await tape.send(asked, inner).catch(async (error: unknown) => {
        await close();
        if (error instanceof SvcError) return refusalFor(error);
        throw error;
      });
      if ('error' in response) return refusalReply(response, asked.url.pathname, 'svc serve');
      return {
        status: response.status,
        headers: response.headers,
        body: new PulledBody(closing(response, close)),
        caller: own?.caller,
        chargedRub: own?.chargedRub,
      };
    },
  };
}

function closing(response: HttpResponse, close: () => Promise<void>) {
  return {
    pipe: (...args: Parameters<HttpResponse['pipe']>) => response.pipe(...args).finally(close),
    discard: () => {
      response.discard();
      void close();
    },
  };
}
