/** Where notifications may go: public https addresses, and this machine when it was allowed. */
import { BlockList, isIP } from 'node:net';
import { isLoopback } from '../../lib/loopback.js';

const reserved = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  reserved.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of [
  ['::', 127],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const) {
  reserved.addSubnet(network, prefix, 'ipv6');
}

const longestUrl = 2000;

/**
 * What is wrong with a notification address, to follow its name: `must be an https URL`.
 * @param loopback whether this machine may be notified
 */
export function webhookFault(address: string, loopback: boolean): string | undefined {
  if (address.length > longestUrl) return `must be at most ${longestUrl} characters long`;
  if (!URL.canParse(address)) return 'must be an https URL';
  const url = new URL(address);
  if (isLoopback(url.hostname)) {
    const isWeb = url.protocol === 'https:' || url.protocol === 'http:';
    if (loopback && isWeb) return undefined;
    return 'must be a public https URL: notifications to this machine are not allowed here';
  }
  if (url.protocol !== 'https:') return 'must be an https URL';
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or password';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !mayReach(host, false)) return 'must be a public address';
  return undefined;
}

/** Whether an IP address is one that notifications may go to. */
export function mayReach(ip: string, loopback: boolean): boolean {
  const version = isIP(ip);
  if (version === 0) return false;
  if (loopback && isLoopback(version === 6 ? `[${ip}]` : ip)) return true;
  return !reserved.check(ip, version === 6 ? 'ipv6' : 'ipv4');
}
