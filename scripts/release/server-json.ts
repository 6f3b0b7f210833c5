/** What a registry of MCP servers reads: the package on npm, and how it starts `svc mcp`. */
import { variables } from '../../src/cli/topics.js';
import { addressesOf, type Repository } from './repository.js';

/** What package.json says, with the summary that other manifests have. */
interface Release {
  readonly name: string;
  readonly version: string;
  readonly summary: string;
  readonly repository?: Repository;
}

/**
 * The server's name. package.json of the npm package has to repeat it under `mcpName`, as a proof
 * that its owner agrees.
 * @returns undefined where package.json names no repository
 * @throws Error for one that is not on GitHub: its name could not be proved by a login there
 */
export function mcpName({ repository }: Pick<Release, 'repository'>): string | undefined {
  const owner = addressesOf(repository)?.owner;
  return owner && `io.github.${owner}/svc`;
}

/** @returns the text of server.json, or undefined where package.json names no repository */
export function serverJson({ name, version, summary, repository }: Release): string | undefined {
  const home = addressesOf(repository)?.home;
  if (!home) return undefined;
  const ceiling = 'The most that all calls of one server may cost together, in RUB';
  const isSecret = (variable: string) => variable === 'SVC_API_KEY';
  const server = {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: mcpName({ repository }),
    description: `${summary.charAt(0).toUpperCase()}${summary.slice(1)}`,
    version,
    repository: { url: home, source: 'github' },
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
