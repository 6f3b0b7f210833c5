import { chmodSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/lib/clock.js';
import { installation } from '../../../src/commands/update/installation.js';
import { svc as svcProcess } from '../../bin/svc.js';
import { authorityFile, cert, expired, key } from '../../http/certificate.js';
import { listening, peer, answering, whole } from '../../http/rig.js';
import { accountService, goodKey } from '../../helpers/account-service.js';
import { homeWith } from '../../helpers/config-home.js';
import { fakeKey, fakeService, json, type Answer } from '../../helpers/fake-service.js';
import { testFolder } from '../../helpers/folder.js';
import { jsonOf, run } from '../../helpers/run.js';
import { readable } from '../../terminal/styled.js';
import { found } from './found.js';

const { by, path } = installation();
const svc = `0.0.0-test, installed with ${by} in ${path}`;

describe('svc doctor', () => {
  it('shows on a terminal that everything is in order', async () => {
    const { origin, requests } = await accountService();
    const home = homeWith({ profiles: { default: { base_url: origin, key: goodKey } } });
    chmodSync(join(home, 'config.json'), 0o600);
    const env = { TERM: 'xterm-kitty', LANG: 'en_US.UTF-8' };
    const { code, stderr, stdout } = await run('doctor -q --all', {
      home,
      env,
      tty: true,
      columns: 160,
    });
    expect(stdout).toBe(`CHECK         STATUS  MESSAGE
runtime       ✓       Node ${process.version}
svc           ✓       ${svc}
config        ✓       ${home}/config.json
data          ✓       ${home}/data/state.db, not written yet
address       ✓       ${origin} (profile)
clock         ✓       within a minute of the service's clock
proxy         ✓       none for this address
certificates  ✓       trusts the built-in root certificates
dns           ✓       127.0.0.1 resolves to 127.0.0.1
connection    ✓       connected, not encrypted
key           ✓       sk-svc-0…cdef (profile), accepted by the service
balance       ✓       12.50 RUB
terminal      ✓       xterm-kitty, 160 columns, no colours, kitty images, en_US.UTF-8
unfinished    ✓       none
`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(requests).toEqual([`GET /v1/balance ${goodKey}`]);
    // Nothing is said of checks that were left out where none was.
    const dumb = await run('doctor', { home, env: { ...env, TERM: 'dumb' }, tty: true });
    expect(dumb.stderr).toBe('13 checks are fine: svc doctor --all\n');
  });

  it('shows to a pipe what to do where nothing is set', async () => {
    const home = testFolder();
    const { code, stderr, stdout } = await run('doctor', { home });
    expect(stdout).toBe(`runtime\tok\tNode ${process.version}\t
svc\tok\t${svc}\t
config\tok\t${home}/config.json, not written yet\t
data\tok\t${home}/data/state.db, not written yet\t
address\tproblem\tno base URL is known\trun \`svc init\` (the first time) or \`svc login\`, set SVC_BASE_URL, or try --local for the embedded service
clock\tskipped\tnot tried: it needs connection\t
proxy\tskipped\tnot tried: it needs address\t
certificates\tok\ttrusts the built-in root certificates\t
dns\tskipped\tnot tried: it needs address\t
connection\tskipped\tnot tried: it needs dns\t
key\tskipped\tnot tried: it needs connection\t
balance\tskipped\tnot tried: it needs key\t
terminal\tok\tstdout is not a terminal\t
unfinished\tskipped\tnot tried: it needs address\t
`);
    expect({ code, stderr }).toEqual({ code: 4, stderr: '' });
  });

  it('prints rows under --json, and is content with warnings', async () => {
    const nowMs = Date.parse('2026-11-23T12:00:00Z');
    const date = new Date(nowMs - 600_000).toUTCString();
    const { env } = await fakeService(json({ balance_rub: 0, currency: 'RUB' }, 200, { date }));
    const clock = { ...systemClock, now: () => nowMs };
    const { code, stdout } = await run('doctor --json', { env, clock });
    const rows: { check: string; status: string }[] = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(rows).toHaveLength(14);
    expect(rows.filter(({ status }) => status !== 'ok')).toEqual([
      {
        check: 'clock',
        status: 'warning',
        message: "10 min ahead of the service's clock",
        hint: expect.stringMatching(/^set it: /),
      },
      {
        check: 'balance',
        status: 'warning',
        message: '0.00 RUB left',
        hint: 'top it up in the web cabinet of the service',
      },
    ]);
  });

  it('needs no network with --local, and fits 40 columns', async () => {
    const env = { TERM: 'dumb', LC_ALL: 'C.UTF-8' };
    const run40 = (line: string) => run(line, { env, tty: true, columns: 40 });
    const { code, stdout } = await run40('--local doctor --all');
    const lines = stdout.split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(40);
    expect(lines.slice(lines.findIndex((line) => line.startsWith('address'))).join('\n'))
      .toBe(`address       –       not tried: --local
clock         –       not tried: --local
proxy         –       not tried: --local
certificates  –       not tried: --local
dns           –       not tried: --local
connection    –       not tried: --local
key           ✓       not needed with
                      --local
balance       ✓       1,000.00 RUB
terminal      !       dumb, 40 columns,
                      no colours, no
                      images, C.UTF-8:
                      unknown terminal
                      hint: export
                      TERM=xterm-256colo
                      r
unfinished    ✓       none
`);
    expect(code).toBe(0);
    expect(await run40('--local doctor')).toMatchObject({
      stdout: expect.stringMatching(/^CHECK     STATUS  MESSAGE\nterminal  !       dumb/),
      stderr: expect.stringContaining('7 checks are fine, 6 were not made: svc'),
    });
  });

  it.each([
    ['en_US.UTF-8', '⟨g:✓⟩ all is well (svc --local doctor --all shows more)'],
    ['C', '⟨y:warning⟩  xterm'],
  ])('says on a terminal in the letters of %s what is in order or wrong', async (LANG, words) => {
    const env = { LANG, TERM: 'xterm-kitty' };
    const { stdout } = await run('--local doctor', { env, tty: true, colour: true });
    expect(readable(stdout)).toContain(words);
    expect(stdout.split('\n').length).toBe(LANG === 'C' ? 4 : 3);
  });

  it('sends only its free request under --dry-run', async () => {
    const { env, requests } = await fakeService(json({}));
    expect(await jsonOf(run('doctor --dry-run', { env }))).toMatchObject({
      method: 'GET',
      url: `${env.SVC_BASE_URL}/v1/balance`,
    });
    expect(requests).toEqual([]);
  });
});

const toNowhere = { SVC_BASE_URL: 'https://service.invalid', SVC_API_KEY: fakeKey };

const overHttps = async (service: { cert: string; key: string }) => {
  const { port } = await listening(createServer(service, (_request, response) => response.end()));
  return { SVC_BASE_URL: `https://localhost:${port}`, SVC_API_KEY: fakeKey };
};

describe('svc doctor finds the first problem', () => {
  it('reports a config file that is damaged', async () => {
    const home = homeWith('{"profiles":');
    const hint =
      'svc has not changed it: correct it in an editor, or move it away and run: svc login';
    const message = `the config file ${home}/config.json cannot be used: it is not JSON`;
    expect(await found({ home, env: { SVC_API_KEY: fakeKey } })).toEqual({
      code: 4,
      rows: [expect.stringMatching(`^config\tproblem\t${message}.*\t${hint}$`)],
    });
  });

  it('reports a name that cannot be looked up', async () => {
    expect(await found({ env: toNowhere }, 'doctor --timeout 2s')).toEqual({
      code: 6,
      rows: [expect.stringMatching(/^dns\tproblem\tservice\.invalid: .*\t./)],
    });
  });

  it('reports a proxy that it does not support or that refuses, and connects to nothing', async () => {
    expect(await found({ env: { ...toNowhere, HTTPS_PROXY: 'ftp://127.0.0.1:1' } })).toEqual({
      code: 4,
      rows: [
        expect.stringMatching(
          /^proxy\tproblem\tHTTPS_PROXY is a ftp proxy, which svc does not support/,
        ),
      ],
    });
    const { port } = await peer(answering(whole('', '407 Proxy Authentication Required')));
    const refusing = { ...toNowhere, HTTPS_PROXY: `http://me:word@127.0.0.1:${port}` };
    expect(await found({ env: refusing })).toEqual({
      code: 6,
      rows: [
        `connection\tproblem\tservice.invalid: the proxy 127.0.0.1:${port} requires a user name and password\tcheck the proxy: its address is in HTTPS_PROXY, HTTP_PROXY or ALL_PROXY`,
      ],
    });
  });

  it('reports a proxy that hangs, and names it', async () => {
    const { port } = await peer(() => undefined);
    const env = { ...toNowhere, HTTPS_PROXY: `socks5h://127.0.0.1:${port}` };
    const { stdout } = await run('doctor --timeout 60ms', { env });
    const proxy = `127.0.0.1:${port}`;
    expect(stdout).toContain(`\nproxy\tok\tthrough socks5h://${proxy} (HTTPS_PROXY)\t\n`);
    expect(stdout).toContain(
      `\nconnection\tproblem\tservice.invalid: no connection through the proxy ${proxy} within 60 ms\tcheck the proxy: `,
    );
  });

  it('reports a port that is closed', async () => {
    expect(await found({ env: { ...toNowhere, SVC_BASE_URL: 'http://127.0.0.1:1' } })).toEqual({
      code: 6,
      rows: [
        'connection\tproblem\t127.0.0.1:1: the connection was refused\tcheck the network and the base URL: `svc config get base_url`',
      ],
    });
  });

  it.each([
    ['that has expired', expired, 'certificate has expired', 'check the date of this computer'],
    ['of an unknown authority', cert, 'unable to verify the first certificate', 'if your own'],
  ])('reports a certificate %s', async (_name, used, reason, hint) => {
    const env = await overHttps({ cert: used, key });
    const { host } = new URL(env.SVC_BASE_URL);
    const message = `${host}: its certificate is not trusted (${reason})\t${hint}`;
    expect(await found({ env })).toEqual({
      code: 6,
      rows: [expect.stringContaining(`connection\tproblem\t${message}`)],
    });
  });

  const html: Answer = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><p>Welcome');
  };
  const refusing = json({ error: 'unknown key' }, 401);
  const never = () => undefined;
  it.each<[string, Answer, string, number, string]>([
    ['is a web page', html, fakeKey, 3, 'the service answered 200 with an HTML page\tcheck the '],
    ['refuses the key', refusing, fakeKey, 4, 'unknown key\tcheck the key: `svc whoami`, or '],
    ['never comes', never, fakeKey, 6, 'not finished within 60 ms\tnothing was charged: run it'],
    ['needs a key', json({}), '', 4, 'no key is set\trun `svc login` or set SVC_API_KEY'],
  ])('reports an answer that %s', async (_name, answer, SVC_API_KEY, exit, words) => {
    const { env } = await fakeService(answer);
    const timeout = exit === 6 ? '60ms' : '5s';
    expect(await found({ env: { ...env, SVC_API_KEY } }, `doctor --timeout ${timeout}`)).toEqual({
      code: exit,
      rows: [expect.stringContaining(`key\tproblem\t${words}`)],
    });
  });
});

it('svc doctor compares the clocks without a key too', async () => {
  const { env, requests } = await fakeService(json({}));
  const { stdout } = await run('doctor', { env: { ...env, SVC_API_KEY: '' } });
  expect(stdout).toContain("\nclock\tok\twithin a minute of the service's clock\t\n");
  expect(requests).toMatchObject([{ method: 'HEAD', headers: {} }]);
  expect(JSON.stringify(requests)).not.toContain(fakeKey);
});

it('svc doctor shows the protocol, and the issuer and the end of the certificate', async () => {
  const service = await overHttps({ cert, key });
  const env = { ...service, NODE_EXTRA_CA_CERTS: authorityFile };
  expect((await svcProcess(['doctor', '--timeout', '2s'], { env })).stdout).toContain(
    '\nconnection\tok\tTLSv1.3, certificate issued by svc test authority, valid until 2126-10-28\t\n',
  );
}, 60_000);

it.each([
  ['of certificates that Node does not use', 'NODE_EXTRA_CA_CERTS', '/none.pem'],
  ['where no certificate is checked', 'NODE_TLS_REJECT_UNAUTHORIZED', '0'],
])('svc doctor warns %s', async (_name, variable, value) => {
  const { env } = await fakeService(json({ balance_rub: 1 }));
  const { code, rows } = await found({ env: { ...env, [variable]: value } });
  expect({ code, rows: rows.length }).toEqual({ code: 0, rows: 1 });
  expect(rows[0]).toMatch(new RegExp(`^certificates\twarning\t.*unset (it|${variable})$`));
});
