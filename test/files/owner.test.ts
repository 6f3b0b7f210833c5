import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { platform } from 'node:process';
import { describe, expect, it } from 'vitest';
import { newOwner, releaseOwner, stateOf } from '../../src/files/owner.js';

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
    expect(await stateOf(owner)).toBe('running');
    releaseOwner(owner);
    expect(await stateOf(owner)).toBe('gone');
  });

  it.runIf(isLinux)('is gone with its process, and there while that runs', async () => {
    const { pid, began, end } = await running();
    const owner = { ...(await newOwner()), id: 'other', pid, began };
    expect(await stateOf(owner)).toBe('running');
    // Written by a svc that did not record its start.
    expect(await stateOf({ ...owner, began: undefined })).toBe('running');
    // Another process has its number by now.
    expect(await stateOf({ ...owner, began: '1' })).toBe('gone');
    await end();
    expect(await stateOf(owner)).toBe('gone');
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
    const owner = { ...(await newOwner()), id: 'other', pid, began: undefined };
    expect(await stateOf(owner)).toBe('gone');
    parent.kill('SIGKILL');
    await once(parent, 'exit');
  });

  // What it recorded, and where it is looked for: that process does not exist here, or exists.
  const recorded = { host: 'laptop', boot: 'b1', namespace: 'pid:[1]', machine: 'm1' };
  const earlier = { host: 'laptop', boot: 'b1' };
  const booted = { ...recorded, boot: 'b2' };
  it.each([
    ['under a new host name', recorded, { ...recorded, host: 'new' }, 'gone', 'running'],
    ['after a boot', recorded, booted, 'gone', 'gone'],
    ['after one under a new name', recorded, { ...booted, host: 'new' }, 'gone', 'gone'],
    ['in another container', recorded, { ...recorded, namespace: 'pid:[2]' }, 'unknown', 'unknown'],
    ['on another machine', recorded, { ...booted, machine: 'm2' }, 'unknown', 'unknown'],
    ['on one of no known id', recorded, { host: 'new', boot: 'b2' }, 'unknown', 'unknown'],
    ['of an earlier version', earlier, recorded, 'gone', 'running'],
    ['of one, after a boot', earlier, booted, 'gone', 'gone'],
    ['of one, under a new name', earlier, { ...recorded, host: 'new' }, 'unknown', 'unknown'],
    ['without a boot id', { host: 'mac' }, { host: 'mac' }, 'gone', 'running'],
    ['without one, under a new name', { host: 'mac' }, { host: 'new' }, 'unknown', 'unknown'],
  ] as const)('is known, or not, %s', async (_, place, here, dead, alive) => {
    const owner = { id: 'other', ...place };
    expect(await stateOf({ ...owner, pid: 2 ** 31 - 2 }, here)).toBe(dead);
    expect(await stateOf({ ...owner, pid: process.ppid }, here)).toBe(alive);
  });
});
