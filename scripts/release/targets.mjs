/** The runtime of all binaries. */
export const bunVersion = '1.4.5';

const unix = { program: 'svc', archive: 'tar.xz' };

/**
 * What a release is made for, one row a target: the runtime, a package of npm; the end of the
 * names of the packages with native parts; how it is packed; and what each packager calls the processor.
 */
export const targets = {
  'linux-x64': {
    ...unix,
    runtime: '@oven/bun-linux-x64',
    native: 'linux-x64-gnu',
    deb: 'amd64',
    rpm: 'x86_64',
  },
  'linux-arm64': {
    ...unix,
    runtime: '@oven/bun-linux-aarch64',
    native: 'linux-arm64-gnu',
    deb: 'arm64',
    rpm: 'aarch64',
  },
  'linux-x64-musl': {
    ...unix,
    runtime: '@oven/bun-linux-x64-musl',
    native: 'linux-x64-musl',
    apk: 'x86_64',
  },
  'linux-arm64-musl': {
    ...unix,
    runtime: '@oven/bun-linux-aarch64-musl',
    native: 'linux-arm64-musl',
    apk: 'aarch64',
  },
  'darwin-x64': { ...unix, runtime: '@oven/bun-darwin-x64', native: 'darwin-x64' },
  'darwin-arm64': { ...unix, runtime: '@oven/bun-darwin-aarch64', native: 'darwin-arm64' },
  'windows-x64': {
    program: 'svc.exe',
    archive: 'zip',
    runtime: '@oven/bun-windows-x64',
    native: 'win32-x64-msvc',
  },
};
