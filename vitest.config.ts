import { defineConfig } from 'vitest/config';

/** Files that replace modules, or change the process, for themselves alone. */
const isolated = [
  'test/terminal/spinner.test.ts',
  // The SDKs set the words of the schema library, too.
  'test/service/sdk/**/*.test.ts',
  'test/commands/speak/numbered.test.ts',
  'test/commands/generate/never-twice.test.ts',
];

const soak = 'test/soak/**/*.test.ts';

export default defineConfig({
  test: {
    // Real sockets and processes are slow to start on a machine that does other work too.
    testTimeout: 20_000,
    hookTimeout: 20_000,
    execArgv: ['--expose-gc'],
    setupFiles: ['test/helpers/open-files.ts'],
    env: { NO_COLOR: undefined, FORCE_COLOR: undefined },
    projects: [
      {
        extends: true,
        // One process for many files: to load the sources anew for each took most of the time.
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: [...isolated, soak],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'isolated', include: isolated } },
      { extends: true, test: { name: 'soak', include: [soak], maxWorkers: 1 } },
    ],
  },
});
