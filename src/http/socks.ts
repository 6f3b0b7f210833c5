/** The tunnel through a SOCKS proxy; loaded only for one. */
import { lookup } from 'node:dns/promises';
import { isIP, type Socket } from 'node:net';
import { SocksClient, type SocksRemoteHost } from 'socks';
import { decoded } from './proxy.js';
import { AttemptFailed } from './types.js';

/** The same connection, now to the target. @throws AttemptFailed */
export async function openSocks(
  connection: Socket,
  { host, port }: SocksRemoteHost,
  proxy: URL,
): Promise<Socket> {
  const { hostname, protocol, username, password } = proxy;
  const type = protocol.startsWith('socks4') ? 4 : 5;
  // As curl does: with socks4a and socks5h, the proxy looks the host up.
  const isFound = /[ah]:$/.test(protocol) || isIP(host) !== 0;
  const address = isFound ? host : (await lookup(host, type === 4 ? 4 : 0)).address;
  const login = username === '' ? {} : { userId: decoded(username), password: decoded(password) };
  try {
    const { socket } = await SocksClient.createConnection({
      command: 'connect',
      existing_socket: connection,
      destination: { host: address, port },
      // Only for its own checks: the connection exists, and has a time limit.
      proxy: { host: hostname, port: 1080, type, ...login },
      timeout: 2 ** 31 - 1,
    });
    return socket;
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    const isLogin = /authentication (failed|type)/i.test(message);
    const login = `${username === '' ? 'requires a' : 'does not accept the'} user name and password`;
    const why = isLogin ? login : reasonFor(message, type);
    const words = `${host}: the proxy ${proxy.host} ${why}`;
    // Without the error, which holds the password.
    throw new AttemptFailed(isLogin ? 'proxy-login' : 'connect', false, words);
  }
}

/** From the words of the library; it has no codes. */
function reasonFor(message: string, type: number): string {
  if (/closed|^(read|write) E/.test(message)) return 'closed the connection';
  const [, reason] = /rejected connection - \(?(\w+)/.exec(message) ?? [];
  if (reason === undefined) return `does not speak SOCKS${type}`;
  // These say nothing more.
  if (/^(undefined|Fail|Rejected)/.test(reason)) return 'refuses to connect';
  const words = reason.replace('TTL', 'TimeToLive').replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
  return `refuses to connect (${words.toLowerCase()})`;
}
