/** The rooms of docs/architecture.md: each imports only what is below it, in types and lazy imports too. */
const rooms = {
  lib: [],
  contract: ['lib'],
  errors: ['lib'],
  command: ['lib'],
  service: ['contract', 'lib'],
  files: ['lib', 'errors'],
  terminal: ['lib', 'errors'],
  state: ['files', 'contract', 'command', 'lib', 'errors'],
  http: ['files', 'contract', 'lib', 'errors'],
};
rooms.api = ['http', ...rooms.http];
rooms.spending = ['api', 'state', 'command', ...rooms.api];
rooms.context = ['spending', 'terminal', ...rooms.spending];
rooms.tools = ['files', 'contract', 'lib', 'errors'];
rooms.texts = ['terminal', 'api', 'state', 'command', ...rooms.api];
rooms.jobs = ['context', 'texts', ...rooms.context];
rooms.media = ['jobs', ...rooms.jobs];
rooms.batch = ['jobs', ...rooms.jobs];
rooms.chat = ['tools', 'jobs', ...rooms.jobs];
rooms.tapes = ['http', ...rooms.http];
rooms.proxy = ['service', 'chat', 'tools', 'tapes', ...rooms.chat];
rooms.commands = ['proxy', 'media', 'batch', ...rooms.proxy];

/** The rooms that are files of src/. */
const files = {
  errors: '(errors|error-codes|exit-codes)\\.ts$',
  command: '(command|command-line|command-map|global-flags)\\.ts$',
  context: 'context\\.ts$',
};
const place = (room) => `^src/${files[room] ?? `${room}/`}`;

const floors = Object.entries(rooms).map(([room, below]) => ({
  name: `${room} imports only downwards`,
  severity: 'error',
  from: { path: place(room) },
  to: { path: '^src/', pathNot: [room, ...below].map(place) },
}));

module.exports = {
  forbidden: [
    ...floors,
    {
      name: 'no circles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'the embedded service stands alone',
      severity: 'error',
      from: { path: '^src/service/' },
      to: { path: '^src/(api|http|state|cli|terminal)/' },
    },
    ...[
      '^src/commands/.*index\\.ts$',
      '^src/cli/(help|program|route|values)\\.ts$',
      '^src/(command|command-line|global-flags)\\.ts$',
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
