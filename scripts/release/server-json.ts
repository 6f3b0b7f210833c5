/** What a registry of MCP servers reads: the package on npm, and how it starts `svc mcp`. */
import { variables } from '../../src/cli/topics.js';

/** What package.json says, with the summary that other manifests have. */
interface Release {
  readonly name: string;
  readonly version: string;
  readonly summary: string;
  readonly repository?: string | { readonly url: string };
}

/**
 * The server's name. package.json of the npm package has to repeat it under `mcpName`, as a proof
 * that its owner agrees.
 * @returns undefined where package.json names no repository
 * @throws Error for one that is not on GitHub: its name could not be proved by a login there
 */
export function mcpName({ repository }: Pick<Release, 'repository'>): string | undefined {
  const owner = repository && ownerAndName(repository)[0];
  return owner && `io.github.${owner}/svc`;
}

/** @returns the text of server.json, or undefined where package.json names no repository */
export function serverJson({ name, version, summary, repository }: Release): string | undefined {
  if (!repository) return undefined;
  const [owner, project] = ownerAndName(repository);
  const ceiling = 'The most that all calls of one server may cost together, in RUB';
  const isSecret = (variable: string) => variable === 'SVC_API_KEY';
  const server = {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: mcpName({ repository }),
    description: `${summary.charAt(0).toUpperCase()}${summary.slice(1)}`,
    version,
    repository: { url: `https://github.com/${owner}/${project}`, source: 'github' },
    packages: [
      {
        registryType: 'npm',
        identifier: name,
        version,
        runtimeHint: 'npx',
        transport: { type: 'stdio' },
        packageArguments: [
          { type: 'positional', value: 'mcp' },
          {
            type: 'named',
            name: '--max-cost',
            description: ceiling,
            format: 'number',
            default: '50',
          },
        ],
        environmentVariables: variables
          .filter(([variable]) => isSecret(variable) || variable === 'SVC_BASE_URL')
          .map(([one, description]) => ({ name: one, description, isSecret: isSecret(one) })),
      },
    ],
  };
  return `${JSON.stringify(server, undefined, 2)}\n`;
}

/** Of the forms that npm takes: `github:OWNER/NAME`, `OWNER/NAME`, or an address, alone or as `url`. */
function ownerAndName(repository: NonNullable<Release['repository']>): [string, string] {
  const address = typeof repository === 'string' ? repository : repository.url;
  const form = /^(?:github:|(?:.*[/@])?github\.com[/:])?([\w-]+)\/([\w.-]+?)(?:\.git)?$/;
  const [, owner, name] = form.exec(address) ?? [];
  if (owner && name) return [owner, name];
  throw new Error(`repository of package.json is not on GitHub: ${address}`);
}
