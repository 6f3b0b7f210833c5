/** The runtime of all binaries. */
export const bunVersion = '1.4.5';

const unix = { program: 'svc', archive: 'tar.xz' };

/**
 * What a release is made for, one row a target: the runtime and the native part of libsql, both
 * packages of npm; how it is packed; and what each packager calls the processor.
 */
export const targets = {
  'linux-x64': {
    ...unix,
    runtime: '@oven/bun-linux-x64',
    libsql: '@libsql/linux-x64-gnu',
    deb: 'amd64',
    rpm: 'x86_64',
  },
  'linux-arm64': {
    ...unix,
    runtime: '@oven/bun-linux-aarch64',
    libsql: '@libsql/linux-arm64-gnu',
    deb: 'arm64',
    rpm: 'aarch64',
  },
  'linux-x64-musl': {
    ...unix,
    runtime: '@oven/bun-linux-x64-musl',
    libsql: '@libsql/linux-x64-musl',
    apk: 'x86_64',
  },
  'linux-arm64-musl': {
    ...unix,
    runtime: '@oven/bun-linux-aarch64-musl',
    libsql: '@libsql/linux-arm64-musl',
    apk: 'aarch64',
  },
  'darwin-x64': { ...unix, runtime: '@oven/bun-darwin-x64', libsql: '@libsql/darwin-x64' },
  'darwin-arm64': { ...unix, runtime: '@oven/bun-darwin-aarch64', libsql: '@libsql/darwin-arm64' },
  'windows-x64': {
    program: 'svc.exe',
    archive: 'zip',
    runtime: '@oven/bun-windows-x64',
    libsql: '@libsql/win32-x64-msvc',
  },
};
