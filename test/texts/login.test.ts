import { describe, expect, it } from 'vitest';
import { accountService, goodKey } from '../helpers/account-service.js';
import { configIn, homeWith } from '../helpers/config-home.js';
import { fakeService, json, type Answer } from '../helpers/fake-service.js';
import { testFolder } from '../helpers/folder.js';
import { run, type RunOptions } from '../helpers/run.js';
import { latinWords } from './latin.js';

const tokens = (input: number, output: number) => ({
  input_rub_per_million_tokens: input,
  output_rub_per_million_tokens: output,
});
const lists: Readonly<Record<string, unknown>> = {
  '/v1/balance': { balance_rub: 1012.5, currency: 'RUB' },
  '/v1/models?all=true': {
    data: [
      { id: 'v/large', type: 'text', pricing: tokens(50, 90) },
      { id: 'v/small', type: 'text', pricing: tokens(5, 9) },
    ],
  },
  '/api/media-catalog': {
    models: [
      ...['canvas', 'paint'].map((id) => ({ id: `v/${id}`, kind: 'image', fromRub: 2 })),
      ...['film', 'reel'].map((id) => ({ id: `v/${id}`, kind: 'video', fromRub: 3 })),
    ],
  },
};
const answering: Answer = (seen, response) =>
  json(lists[seen.url] ?? {}, lists[seen.url] ? 200 : 404)(seen, response);

/** `svc init` at a terminal, with the questions and the keys as they follow. */
async function firstRun(env: Record<string, string>, typed: NonNullable<RunOptions['typed']>) {
  const { origin } = await fakeService(answering);
  const home = homeWith({});
  const keys = typed.map(([shown, one]) => [shown, one.replace('URL', origin)] as const);
  const { code, stderr } = await run('init', { home, tty: true, typed: keys, env });
  expect({ code, config: configIn(home) }).toMatchObject({
    code: 0,
    config: { profiles: { default: { model: 'v/small', 'model.video': 'v/film' } } },
  });
  return stderr.replaceAll(origin, 'URL').replace(/\u001b\[[\d;?]*[A-Za-z]/g, '');
}

const afterwards = `Ключ сохранён: URL, профиль «default», баланс 1\u00a0012,50\u00a0₽.\n`;
const offered = '  изображения  v/canvas  от 2,00\u00a0₽\n  видео        v/film  от 3,00\u00a0₽\n';

describe('svc init in Russian', () => {
  it('asks, offers and explains in it, and calls keys and prices by their Russian names', async () => {
    const stderr = await firstRun({ SVC_LANG: 'ru' }, [
      ['? Базовый URL', 'x\r'],
      ['нужен адрес', '\u007fURL\r'],
      ['? Ключ', '"x"\r'],
      ['пояснение: ', ''],
      ['? Ключ', `${goodKey}\r`],
      ['для диалога', '\r'],
      ['для остального', '\r'],
      ['Спросите v/small', '\r'],
    ]);
    expect(stderr).toContain('Базовый URL — это адрес API сервиса');
    expect(stderr).toContain(afterwards);
    expect(stderr).toContain('❯ v/small  вход 5,00, выход 9,00\u00a0₽/млн токенов\n');
    expect(stderr).toContain(offered);
    expect(stderr).toContain('↑↓ перейти • ⏎ выбрать • Esc пропустить');
    expect(stderr).toContain('Что дальше: svc chat "ваш вопрос"\n');
    expect(latinWords(stderr.replace(/^error: .*|✔ Базовый.*|\?.*Базовый.*/gm, ''))).toEqual([]);
  });

  it('is the same in lines that are read aloud', async () => {
    const stderr = await firstRun({ SVC_LANG: 'ru', ACCESSIBLE: '1' }, [
      ['Базовый URL: ', 'URL\r'],
      ['Ключ (при вводе не виден): ', `${goodKey}\r`],
      ['Номер или слова', '7\r'],
      ['введите число от 1 до 3', 'nothing\r'],
      ['ничего не найдено', '1\r'],
      ['Номер или слова', '1\r'],
      ['Enter — нет): ', '\r'],
    ]);
    expect(stderr).toContain(afterwards);
    expect(stderr).toContain('1. взять эти\n2. выбрать каждую\n3. не задавать\n');
    expect(latinWords(stderr)).toEqual([]);
  });
});

const inRussian = { SVC_LANG: 'ru' };

it('svc login, whoami and logout explain in Russian, and are English in JSON and in a pipe', async () => {
  const { origin } = await accountService();
  const home = testFolder();
  const login = ['login', '--with-key', '--no-verify', '--base-url', origin];
  const env = { ...inRussian, SVC_API_KEY: goodKey };
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
    const options = { home, stdin: goodKey };
    const russian = await run(line, { ...options, env });
    const english = await run(line, { ...options, env: { SVC_API_KEY: goodKey } });
    expect(russian.stdout, line).toBe(english.stdout);
  }
  const left = await run('logout', { home, env });
  expect(left.stderr).toBe(
    'Ключ профиля «default» удалён.\nвнимание: переменная SVC_API_KEY всё ещё задана и действует\n',
  );
  const none = await run('logout --all', { home, env: inRussian });
  expect(none.stderr).toBe('Ни в одном профиле ключа нет.\n');
});
