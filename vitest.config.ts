import { defineConfig } from 'vitest/config';

// What storms, kills and measures.
const soak = ['bench/soak/**/*.test.ts'];
// What sets what is global (zod's language) shares processes with nothing else.
const packages = [
  'test/service/sdk/{ai,openai}.test.ts',
  'test/service/sdk/anthropic/*.test.ts',
  'test/tapes/sdk.test.ts',
  'test/commands/mcp/*.test.ts',
];
// What replaces modules, or runs the tests of another file once more, shares a process with nothing.
const isolated = [
  'test/service/sdk/openai-*.test.ts',
  'test/proxy/sdk/*.test.ts',
  'test/jobs/cost.test.ts',
  'test/lib/replace-file.test.ts',
  'test/terminal/spinner.test.ts',
];

// One more than the cores of the machine that decides, since some tests wait.
const maxWorkers = 3;

export default defineConfig({
  test: {
    // The first test of the bin builds the package, on a machine that may do other work too.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Days in tests are those of UTC on every machine.
    env: { NO_COLOR: undefined, FORCE_COLOR: undefined, TZ: 'UTC' },
    // It imports JSON as only bundlers do.
    server: { deps: { inline: ['@actions/workflow-parser'] } },
    projects: [
      {
        extends: true,
        test: {
          name: 'suite',
          include: ['test/**/*.test.ts'],
          exclude: [...packages, ...isolated],
          globalSetup: 'test/helpers/memory.ts',
          setupFiles: ['test/helpers/after-each-file.ts'],
          isolate: false,
          maxWorkers,
        },
      },
      {
        extends: true,
        test: {
          name: 'packages',
          include: packages,
          setupFiles: ['test/helpers/after-each-file.ts'],
          isolate: false,
          maxWorkers,
        },
      },
      { extends: true, test: { name: 'isolated', include: isolated, maxWorkers } },
      // The tests of the bin once more, with the single binary (scripts/release) in its place.
      {
        extends: true,
        test: {
          name: 'binary',
          include: [
            'test/bin/{exit-codes,extensions,mcp,media,pipes,serve,signals,sqlite}.test.ts',
            'bench/soak/log.test.ts',
          ],
          globalSetup: 'test/helpers/binary.ts',
          maxWorkers: 1,
        },
      },
      // One file at a time, so that nothing else is measured.
      {
        extends: true,
        test: {
          name: 'soak',
          include: soak,
          execArgv: ['--expose-gc'],
          maxWorkers: 1,
        },
      },
    ],
  },
});
