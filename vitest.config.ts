import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Real sockets and processes are slow to start on a machine that does other work too.
    testTimeout: 20_000,
    hookTimeout: 20_000,
    execArgv: ['--expose-gc'],
    setupFiles: ['test/helpers/open-files.ts'],
    env: { NO_COLOR: undefined, FORCE_COLOR: undefined },
  },
});
