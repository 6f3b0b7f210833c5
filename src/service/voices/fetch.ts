/** Fetches recordings from addresses, when the service was started with leave to. */
import { get as getHttp, type IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';
import { isIP } from 'node:net';
import { voice as limits } from '../../contract/limits.js';
import { isLoopback } from '../../lib/loopback.js';
import type { House } from '../call.js';
import { ServiceFailure } from '../failure.js';
import { mayReach, webhookFault } from '../notify/address.js';
import { guarded } from '../notify/send.js';
import { tooLargeSample, unreachableSample } from './refusals.js';

const timeoutMs = 20_000;
const mostRedirects = 3;
const redirects = [301, 302, 303, 307, 308];

/**
 * The bytes behind an address: a public https one, or one of this machine. Every redirect is held
 * to the same, and none leads from elsewhere to this machine.
 * @param place what to call the recording in a message
 * @throws ServiceFailure 422 voice_sample_unreachable, or voice_sample_too_large
 */
export async function fetchRecording(
  { media }: House,
  place: string,
  address: string,
  signal: AbortSignal,
): Promise<Uint8Array> {
  if (!media.allowFetch) {
    throw unreachableSample(
      place,
      'is an address, and this service fetches nothing: give the recording itself as audio_base64, or start it with svc serve --allow-fetch',
    );
  }
  const loopback = URL.canParse(address) && isLoopback(new URL(address).hostname);
  const late = AbortSignal.timeout(timeoutMs);
  const stop = AbortSignal.any([signal, late]);
  try {
    return await follow(place, { address, loopback, stop });
  } catch (error) {
    if (error instanceof ServiceFailure || !(error instanceof Error)) throw error;
    // Whatever else goes wrong on the way is the way's fault.
    const why = error instanceof Unreachable ? error.message : `broke off: ${error.message}`;
    throw unreachableSample(place, late.aborted ? `gave nothing in ${timeoutMs / 1000} s` : why);
  }
}

/** Why a recording could not be had; it follows its name. */
class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

interface Way {
  readonly address: string;
  /** Whether it may lead to this machine. */
  readonly loopback: boolean;
  readonly stop: AbortSignal;
}

async function follow(place: string, way: Way): Promise<Uint8Array> {
  let { address } = way;
  for (let count = 0; count <= mostRedirects; count += 1) {
    const answer = await ask({ ...way, address });
    const { statusCode = 0, headers } = answer;
    if (statusCode === 200) return bytesOf(place, answer);
    answer.destroy();
    const { location } = headers;
    if (!redirects.includes(statusCode) || location === undefined) {
      throw new Unreachable(`could not be fetched: its address answered ${statusCode}`);
    }
    if (!URL.canParse(location, address)) throw new Unreachable('leads to no address');
    address = new URL(location, address).href;
  }
  throw new Unreachable(`leads on more than ${mostRedirects} times`);
}

function ask({ address, loopback, stop }: Way): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const fault = faultOf(address, loopback);
    if (fault !== undefined) throw new Unreachable(fault);
    const url = new URL(address);
    const get = url.protocol === 'https:' ? getHttps : getHttp;
    const options = { agent: false, lookup: guarded(loopback), signal: stop };
    get(url, options, resolve).once('error', (error) => {
      reject(new Unreachable(`could not be fetched: ${error.message}`));
    });
  });
}

function faultOf(address: string, loopback: boolean): string | undefined {
  const host = URL.canParse(address) ? new URL(address).hostname : '';
  if (isLoopback(host) && !loopback) return 'leads to this machine, which is not allowed';
  const fault = webhookFault(address, loopback);
  if (fault !== undefined) return fault;
  const ip = host.replace(/^\[|\]$/g, '');
  return isIP(ip) !== 0 && !mayReach(ip, loopback) ? 'must be a public address' : undefined;
}

async function bytesOf(place: string, answer: IncomingMessage): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early closes the line.
  for await (const piece of answer.iterator()) {
    if (!(piece instanceof Uint8Array)) continue;
    size += piece.byteLength;
    if (size > limits.sampleBytes) throw tooLargeSample(place);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
