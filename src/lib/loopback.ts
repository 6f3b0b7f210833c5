/** Whether a host is this machine. Names below `.localhost` are left out: resolvers may map them anywhere. */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost\.?|\[::1\]|127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/.test(hostname);
}
