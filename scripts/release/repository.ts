/** The addresses of the project: all follow from `repository` of package.json. */

/** Of the forms that npm takes: `github:OWNER/NAME`, `OWNER/NAME`, or an address, alone or as `url`. */
export type Repository = string | { readonly url: string };

interface Addresses {
  readonly owner: string;
  /** The page of the project; issues and files are below it. */
  readonly home: string;
  /** What `uses:` of a workflow begins with: `OWNER/NAME`. */
  readonly slug: string;
}

/**
 * @returns undefined where package.json names no repository
 * @throws Error for one that is not on GitHub: releases and names could not be found by it
 */
export function addressesOf(repository: Repository | undefined): Addresses | undefined {
  if (!repository) return undefined;
  const address = typeof repository === 'string' ? repository : repository.url;
  const form = /^(?:github:|(?:.*[/@])?github\.com[/:])?([\w-]+)\/([\w.-]+?)(?:\.git)?$/;
  const [, owner, name] = form.exec(address) ?? [];
  if (!owner || !name) throw new Error(`repository of package.json is not on GitHub: ${address}`);
  const slug = `${owner}/${name}`;
  return { owner, slug, home: `https://github.com/${slug}` };
}

/**
 * Where the releases are: /vVERSION/FILE is added to it.
 * @param env SVC_RELEASE_URL replaces it, for a fork or a mirror
 */
export function releasesOf(
  { repository }: { readonly repository?: Repository },
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const home = addressesOf(repository)?.home;
  return env['SVC_RELEASE_URL'] ?? (home && `${home}/releases/download`);
}
