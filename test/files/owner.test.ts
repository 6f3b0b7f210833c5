import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { platform } from 'node:process';
import { describe, expect, it } from 'vitest';
import { releaseOwner, isGone, newOwner } from '../../src/files/owner.js';

const isLinux = platform === 'linux';

/** A process that runs until it is killed. */
async function running() {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  await once(child, 'spawn');
  const { pid } = child;
  if (pid === undefined) throw new Error('no process');
  const began = readFileSync(`/proc/${String(pid)}/stat`, 'latin1')
    .split(') ')[1]
    ?.split(' ')[19];
  const end = async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return { pid, began, end };
}

describe('an owner', () => {
  it('in this process is there until it is done', async () => {
    const owner = await newOwner();
    expect(await isGone(owner)).toBe(false);
    releaseOwner(owner);
    expect(await isGone(owner)).toBe(true);
  });

  it.runIf(isLinux)('is gone with its process, and there while that runs', async () => {
    const { pid, began, end } = await running();
    const owner = { ...(await newOwner()), pid, began };
    expect(await isGone(owner)).toBe(false);
    // Written by a svc that did not record its start.
    expect(await isGone({ ...owner, began: undefined })).toBe(false);
    // Another process has its number by now.
    expect(await isGone({ ...owner, began: '1' })).toBe(true);
    await end();
    expect(await isGone(owner)).toBe(true);
  });

  it.runIf(isLinux)('is gone although its process was not waited for', async () => {
    // The child ends when `sleep` has taken its parent's place, which never waits for it.
    const child = 'while ! grep -q sleep /proc/$PPID/comm; do :; done';
    const parent = spawn('sh', ['-c', `sh -c '${child}' & echo $!; exec sleep 60`], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [text]: unknown[] = await once(parent.stdout, 'data');
    const pid = Number(String(text));
    const state = () => readFileSync(`/proc/${String(pid)}/stat`, 'latin1').split(') ')[1]?.[0];
    await expect.poll(state, { timeout: 15_000 }).toBe('Z');
    expect(await isGone({ ...(await newOwner()), pid, began: undefined })).toBe(true);
    parent.kill('SIGKILL');
    await once(parent, 'exit');
  });
});
