/** The import floors of docs/architecture.md: imports go only downwards. */
const below = {
  lib: [],
  contract: ['lib'],
  errors: ['lib'],
  files: ['lib', 'errors'],
  http: ['files', 'contract', 'lib', 'errors'],
  api: ['http', 'files', 'contract', 'lib', 'errors'],
  state: ['files', 'contract', 'lib', 'errors'],
  terminal: ['lib', 'errors'],
  service: ['contract', 'lib'],
  completion: ['contract', 'lib'],
  jobs: ['api', 'http', 'state', 'files', 'terminal', 'contract', 'lib', 'errors'],
  batch: ['jobs', 'api', 'http', 'state', 'files', 'contract', 'lib', 'errors'],
  tools: ['files', 'contract', 'lib', 'errors'],
  commands: [
    'completion',
    'tools',
    'batch',
    'tools',
    'jobs',
    'api',
    'http',
    'state',
    'files',
    'terminal',
    'service',
    'contract',
    'lib',
    'errors',
  ],
};

const folder = (name) => (name === 'errors' ? 'error(s|-codes)\\.ts$' : `${name}/`);

const floors = Object.entries(below).map(([layer, allowed]) => ({
  name: `${layer} imports only downwards`,
  severity: 'error',
  from: { path: `^src/${folder(layer)}` },
  to: {
    path: '^src/',
    pathNot: [
      ...[layer, ...allowed].map((name) => `^src/${folder(name)}`),
      // Declarations and the context are types and plain data that commands are made of; a
      // template and an alias are read as command lines, a skill is a text about all commands, and
      // `svc mcp` runs them.
      ...(layer === 'commands'
        ? ['^src/cli/(declaration|context|globals|main|program|route|map|map-schema)\\.ts$']
        : []),
      ...(['jobs', 'batch'].includes(layer) ? ['^src/cli/(declaration|context)\\.ts$'] : []),
      ...(layer === 'completion' ? ['^src/cli/(declaration|globals|route|topics)\\.ts$'] : []),
    ],
  },
}));

module.exports = {
  forbidden: [
    ...floors,
    {
      name: 'no circles',
      severity: 'error',
      from: {},
      // A lazy import closes none: it is followed when all of the circle has been loaded.
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only', 'dynamic-import'] } },
    },
    {
      name: 'the embedded service stands alone',
      severity: 'error',
      from: { path: '^src/service/' },
      to: { path: '^src/(api|http|state|cli|terminal)/' },
    },
    ...[
      '^src/commands/.*index\\.ts$',
      '^src/cli/(help|program|route|declaration|globals)\\.ts$',
    ].map((path) => ({
      name: 'the help loads nothing heavy',
      severity: 'error',
      from: { path },
      to: {
        path: [
          '^node_modules/(?!commander/)',
          '^src/(service|api|http)/',
          '^src/contract/(?!enums|limits|brand)',
        ],
        dependencyTypesNot: ['type-only', 'dynamic-import'],
      },
    })),
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { extensions: ['.ts', '.js'] },
  },
};
