/** The runtime of all binaries. */
export const bunVersion = '1.4.5';

/** The package of npm with the runtime of a target. */
export const runtimeOf = (target) => `@oven/bun-${target.replace('arm64', 'aarch64')}`;

/**
 * What a release is made for, one row a target: the end of the names of the packages with native
 * parts, whether one is libsql (src/lib/sqlite-engine.ts), and what each packager calls the processor.
 */
export const targets = {
  'linux-x64': { native: 'linux-x64-gnu', deb: 'amd64', rpm: 'x86_64' },
  'linux-arm64': { native: 'linux-arm64-gnu', deb: 'arm64', rpm: 'aarch64' },
  'linux-x64-musl': { native: 'linux-x64-musl', apk: 'x86_64' },
  'linux-arm64-musl': { native: 'linux-arm64-musl', apk: 'aarch64' },
  'darwin-x64': { native: 'darwin-x64', usesLibsql: true },
  'darwin-arm64': { native: 'darwin-arm64', usesLibsql: true },
  'windows-x64': { native: 'win32-x64-msvc' },
};
