/** A home with a key, and programs that print one. */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accountService, goodKey } from './account-service.js';
import { configIn, homeWith } from './config-home.js';
import { testFolder } from './folder.js';
import { run, type RunOptions } from './run.js';

const path = { PATH: process.env['PATH'] };

/** A home whose key is in the file, for a service that knows it. */
export async function keyHome(profile: object = { key: goodKey }) {
  const { origin, requests } = await accountService();
  const home = homeWith({
    profile: 'default',
    profiles: { default: { base_url: origin, key_origin: origin, ...profile } },
  });
  const svc = (line: string | readonly string[], options: RunOptions = {}) =>
    run(line, { home, ...options, env: { ...path, ...options.env } });
  const login = (store: string) => svc(`login --with-key --store ${store}`, { stdin: goodKey });
  const fields = () => configIn(home) as { profiles: Record<string, Record<string, unknown>> };
  return { home, login, origin, requests, svc, profile: () => fields().profiles['default'] };
}

/** A program that does this. */
export function script(lines: string): string {
  const file = join(testFolder(), 'print key');
  writeFileSync(file, `#!/bin/sh\n${lines}\n`);
  chmodSync(file, 0o755);
  return JSON.stringify([file, 'an argument']);
}
