/** The specification's neutral token for the brand in headers, keys and paths. */
export const defaultBrand = 'svc';

export interface Brand {
  header(name: string): string;
  readonly keyPrefix: string;
  /** The cookie of a cabinet session. Section 5 shows no mechanism, so the name is ours. */
  readonly sessionCookie: string;
  /** A path template with `{brand}` filled in (section 4.3). */
  path(template: string): string;
}

/** Builds the brand's identifiers from its token: lower-case letters, digits and hyphens. */
export function brandFrom(token: string): Brand {
  const headers: Record<string, string> = {};
  return {
    // Made once: a new text is slow to look up by.
    header: (name) => (headers[name] ??= `x-${token}-${name}`),
    keyPrefix: `sk-${token}-`,
    sessionCookie: `${token}_session`,
    path: (template) => template.replaceAll('{brand}', token),
  };
}
