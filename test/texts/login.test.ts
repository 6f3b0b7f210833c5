import { expect, it } from 'vitest';
import { en } from '../../src/texts/en/index.js';
import { ru } from '../../src/texts/ru/index.js';
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

it('svc login and whoami explain in Russian why the service refuses the key', async () => {
  const { origin } = await accountService();
  const home = testFolder();
  const env = { SVC_LANG: 'ru' };
  const at = ['--with-key', '--base-url', origin];
  const refused = async (...line: string[]) => {
    const { stderr } = await run(line, { home, env, stdin: 'sk-svc-revoked-long-ago' });
    return stderr.replace(`error: ${origin} does not know this key (401)\n`, '');
  };
  expect(await refused('login', ...at)).toBe(
    'пояснение: сервис не знает этот ключ, и он не сохранён; скопируйте ключ в личном кабинете ещё раз или проверьте базовый URL\n',
  );
  await refused('login', '--no-verify', ...at);
  expect(await refused('whoami')).toBe(
    'пояснение: сервис не знает этот ключ; создайте ключ в личном кабинете и выполните: svc login\n',
  );
  for (const command of ['login', 'whoami'] as const) {
    const typed = (words: string[]) => words.map((one) => /svc [a-z_ -]+$/.exec(one)?.[0]);
    const russian = Object.values(ru.login.refusals[command]);
    expect(typed(russian)).toEqual(typed(Object.values(en.login.refusals[command])));
  }
});
