import {
  AttemptFailed,
  BodyCut,
  type HttpRequest,
  type HttpResponse,
  type Transport,
} from '../../src/http/types.js';

/** What one attempt comes to. */
export type Step =
  | AttemptFailed
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | readonly Buffer[];
      /** Thrown after the body. */
      readonly cut?: BodyCut['reason'];
    }
  | ((request: HttpRequest) => Promise<HttpResponse>);

export interface Scripted {
  readonly transport: Transport;
  /** Each request, as it was sent. */
  readonly requests: HttpRequest[];
  /** How many answers were given up unread. */
  readonly discarded: () => number;
}

/** A transport that goes through a script, an attempt a step; the last step goes on forever. */
export function scripted(...steps: readonly [Step, ...Step[]]): Scripted {
  const requests: HttpRequest[] = [];
  let discarded = 0;
  const transport: Transport = async (request) => {
    const step = steps[requests.length] ?? steps[steps.length - 1];
    requests.push(request);
    if (step instanceof AttemptFailed) throw step;
    if (typeof step === 'function') return step(request);
    return {
      status: step?.status ?? 200,
      headers: step?.headers ?? {},
      pipe: async (sink) => {
        for (const piece of piecesOf(step?.body)) await sink(piece);
        if (step?.cut) throw new BodyCut(step.cut, 'the answer broke off');
      },
      discard: () => {
        discarded += 1;
      },
    };
  };
  return { transport, requests, discarded: () => discarded };
}

function piecesOf(body: string | readonly Buffer[] = ''): readonly Buffer[] {
  return typeof body === 'string' ? [Buffer.from(body)] : body;
}

/** An attempt that stays without an answer until it is aborted. */
export function silence(request: HttpRequest): Promise<HttpResponse> {
  return new Promise((_resolve, reject) => {
    request.signal?.addEventListener('abort', () => {
      reject(new AttemptFailed('aborted', true, 'aborted', request.signal?.reason));
    });
  });
}
