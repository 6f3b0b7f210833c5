import { describe, expect, it } from 'vitest';
import { accountService, goodKey } from '../helpers/account-service.js';
import { homeWith } from '../helpers/config-home.js';
import { run } from '../helpers/run.js';

const configFor = (origin: string, key = goodKey) => ({
  profile: 'work',
  profiles: { work: { base_url: origin, key, key_origin: origin } },
});

describe('svc whoami', () => {
  it('shows a person what is in force, where it comes from, and the balance', async () => {
    const { origin } = await accountService();
    const result = await run('whoami', { home: homeWith(configFor(origin)), tty: true });
    const wide = (text: string) => text.padEnd(origin.length);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.stdout).toBe(
      [
        `WHAT      ${wide('VALUE')}  FROM`,
        `Profile   ${wide('work')}  config file`,
        `Base URL  ${origin}  profile`,
        `Key       ${wide('sk-svc-0…cdef')}  profile`,
        `Balance   ${wide('12.50 RUB')}  the service`,
        '',
      ].join('\n'),
    );
  });

  it('gives a pipe the same, tab by tab', async () => {
    const { origin } = await accountService();
    const env = { SVC_API_KEY: goodKey, SVC_PROFILE: 'work' };
    const line = `whoami --base-url ${origin}`;
    const result = await run(line, { home: homeWith(configFor('https://x.example')), env });
    expect(result).toMatchObject({
      code: 0,
      stderr: '',
      stdout:
        'Profile\twork\tSVC_PROFILE\n' +
        `Base URL\t${origin}\t--base-url\n` +
        'Key\tsk-svc-0…cdef\tSVC_API_KEY\n' +
        'Balance\t12.50 RUB\tthe service\n',
    });
  });

  it('gives a script JSON without the key', async () => {
    const { origin } = await accountService();
    const result = await run('whoami --json', { home: homeWith(configFor(origin)) });
    expect(JSON.parse(result.stdout)).toEqual({
      profile: 'work',
      profileSource: 'config',
      baseUrl: origin,
      baseUrlSource: 'profile',
      key: 'sk-svc-0…cdef',
      keySource: 'profile',
      balanceRub: 12.5,
      currency: 'RUB',
    });
  });

  it('works against the embedded service, whatever the config file is', async () => {
    const result = await run('whoami --local --json', { home: homeWith('{broken') });
    expect(result.code).toBe(0);
    expect(JSON.parse(result.stdout)).toMatchObject({ local: true, currency: 'RUB' });
  });

  it('says of a refused key what to do', async () => {
    const { origin } = await accountService();
    const home = homeWith(configFor(origin, 'sk-svc-revoked-long-ago'));
    expect(await run('whoami', { home })).toMatchObject({
      code: 4,
      stdout: '',
      stderr:
        `error: ${origin} does not know this key (401)\n` +
        'hint: svc login stores another; keys are made in the cabinet of the service\n',
    });
    const json = await run('whoami --json', { home });
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { exit: 4, status: 401 } });
  });

  it('sends a stored key to no other origin', async () => {
    const { origin, requests } = await accountService();
    const home = homeWith(configFor('https://work.example'));
    const result = await run(`whoami --base-url ${origin}`, { home });
    expect(result.code).toBe(4);
    expect(result.stderr).toContain(
      `error: the stored key belongs to https://work.example and is not sent to ${origin}\n`,
    );
    expect(requests).toEqual([]);
  });
});
