/** The neutral token of the specification (its introduction) for the brand in headers, keys and paths. */
export const defaultBrand = 'svc';

export interface Brand {
  /** `x-svc-generation-id` from `generation-id`. */
  header(name: string): string;
  /** Keys begin with this (section 5). */
  readonly keyPrefix: string;
  /** The cookie of a cabinet session: section 5 does not show its mechanism, so the name is ours. */
  readonly sessionCookie: string;
  /** A path template with `{brand}` filled in (section 4.3). */
  path(template: string): string;
}

/** Builds the brand's identifiers from its token: lower-case letters, digits and hyphens. */
export function brandFrom(token: string): Brand {
  return {
    header: (name) => `x-${token}-${name}`,
    keyPrefix: `sk-${token}-`,
    sessionCookie: `${token}_session`,
    path: (template) => template.replaceAll('{brand}', token),
  };
}
