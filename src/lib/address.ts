/** Whether a host is this machine. Names below `.localhost` are left out: resolvers may map them anywhere. */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost\.?|\[::1\]|127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/.test(hostname);
}

/** Whether a text names a page or file of the web, and no file of this machine. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text);
}
