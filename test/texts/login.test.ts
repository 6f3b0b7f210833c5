import { expect, it } from 'vitest';
import { accountService, goodKey } from '../helpers/account-service.js';
import { testFolder } from '../helpers/folder.js';
import { run } from '../helpers/run.js';

it('svc login, whoami and logout explain in Russian, and are English in JSON and in a pipe', async () => {
  const { origin } = await accountService();
  const home = testFolder();
  const login = ['login', '--with-key', '--no-verify', '--base-url', origin];
  const env = { SVC_LANG: 'ru', SVC_API_KEY: goodKey };
  const { stderr } = await run(login, { home, stdin: 'other', env });
  expect(stderr).toBe(
    'внимание: ключи этого сервиса начинаются с sk-svc-, а этот — нет\n' +
      'внимание: задана переменная SVC_API_KEY, она важнее сохранённого ключа\n' +
      `Ключ сохранён: ${origin}, профиль «default», не проверен.\n`,
  );
  const shown = await run('whoami', { home, env, tty: true });
  expect(shown.stdout).toBe(
    `Профиль      default (файл настроек)\nБазовый URL  ${origin} (профиль)\n` +
      'Ключ         sk-svc-0…cdef (SVC_API_KEY)\nБаланс       12,50\u00a0₽\n',
  );
  for (const line of ['whoami', 'whoami --json', 'login --with-key --no-verify --json']) {
    const as = (SVC_LANG: string) => run(line, { home, stdin: goodKey, env: { ...env, SVC_LANG } });
    expect((await as('ru')).stdout, line).toBe((await as('en')).stdout);
  }
  const left = await run('logout', { home, env });
  expect(left.stderr).toMatch(
    /^Ключ профиля «default» удалён\.\nвнимание: переменная SVC_API_KEY /,
  );
  expect((await run('logout --all', { home, env })).stderr).toMatch(/^Ни в одном профиле ключа/);
});
