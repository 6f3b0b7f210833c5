/** Whether a URL stays on this machine. */

/**
 * True for 127.0.0.0/8, ::1 and `localhost`. Takes a host as `URL.hostname` gives it: lower case,
 * IPv4 in four decimal parts, IPv6 in brackets. Names below `.localhost` are left out, for a
 * resolver may send them anywhere.
 */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname === 'localhost.' ||
    hostname === '[::1]' ||
    /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)
  );
}
