import { defineConfig } from 'vitest/config';

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
        test: { name: 'suite', include: ['test/**/*.test.ts'], exclude: [soak] },
      },
      // What storms, kills and measures: one file at a time.
      { extends: true, test: { name: 'soak', include: [soak], maxWorkers: 1 } },
    ],
  },
});
