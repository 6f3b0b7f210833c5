import { describe, expect, it } from 'vitest';
import { homeWith } from '../helpers/config-home.js';
import { run } from '../helpers/run.js';

const inRussian = { SVC_LANG: 'ru' };
const inConfig = () => homeWith({ profiles: { default: { language: 'ru' } } });

describe('the language for people', () => {
  it('is that of SVC_LANG, of the setting, or of the locale, in this order', async () => {
    const title = async (env: Record<string, string>, home = inConfig()) =>
      (await run('help chat', { env, home })).stdout.split(':')[0];
    expect(await title({})).toBe('Как вызвать');
    expect(await title({ SVC_LANG: 'en' })).toBe('Usage');
    expect(await title({ LC_ALL: 'en_US.UTF-8' })).toBe('Как вызвать');
    expect(await title({ LC_MESSAGES: 'ru_RU.UTF-8' }, homeWith({}))).toBe('Как вызвать');
    expect(await title({ LC_ALL: 'ru_RU.utf8' }, homeWith({}))).toBe('Как вызвать');
    expect(await title({ LC_ALL: 'ru_RU.KOI8-R' }, homeWith({}))).toBe('Usage');
    expect(await title({}, homeWith({}))).toBe('Usage');
    expect(await title({}, homeWith('{ "broken"'))).toBe('Usage');
    expect(await title({ SVC_LANG: 'ru' }, homeWith('{ "broken"'))).toBe('Как вызвать');
  });

  it('holds under --local and in every profile that has it', async () => {
    const { stdout } = await run('--local balance', { tty: true, home: inConfig() });
    expect(stdout).toBe('1\u00a0000,00\u00a0₽\n');
  });

  it('is that of the answer to svc config set language', async () => {
    const home = homeWith({});
    const said = async (line: string) => (await run(line, { home })).stderr;
    expect(await said('config set language ru')).toBe(
      'Задано: language = ru, профиль «default».\n',
    );
    expect(await said('config unset model')).toContain('model в профиле «default» не задана.\n');
    expect(await said('config unset language')).toBe('Removed language from profile "default".\n');
  });

  it('is that of a session, except for what it refuses', async () => {
    const lines = [
      '/model local/guide',
      '/system Кратко',
      '/attach package.json',
      '/search svc',
      'да',
    ];
    const after = ['/tokens', '/cost', '/save мой диалог', '/copy', '/undo', '/exit'];
    const typed = [...lines, ...after].map((line) => ['> ', `${line}\r`] as const);
    const { stderr } = await run('--local chat -i -m local/echo', {
      env: inRussian,
      tty: true,
      typed,
    });
    for (const said of [
      'local/echo · новый диалог · /help покажет команды',
      'модель: local/guide',
      'системный промпт: "Кратко"',
      'к следующему вопросу приложено: package.json',
      'перед следующим вопросом svc поищет в интернете: svc',
      'токенов примерно ',
      'теперь диалог называется мой диалог',
      'ответ скопирован',
      'последний вопрос и ответ на него убраны',
      'сеанс стоил ',
      'продолжить: svc --local chat ',
    ])
      expect(stderr).toContain(said);
    expect(stderr).toMatch(/сеанс [\d,]+\u00a0₽ · диалог [\d,]+\u00a0₽ · баланс /);
  });

  it('is refused where svc has no texts in it', async () => {
    const refused = await run('config set language de');
    expect(refused.stderr).toContain('the language must be en or ru');
    expect(refused.code).toBe(2);
  });

  it('changes nothing in a pipe, in JSON, or for a coding agent', async () => {
    for (const line of ['--local balance', '--local balance --json', '--local models list']) {
      expect(await run(line, { env: inRussian }), line).toEqual(await run(line));
    }
    const env = { AI_AGENT: 'one' };
    const asked = await run('--local balance', { tty: true, env: { ...env, ...inRussian } });
    expect(asked).toEqual(await run('--local balance', { tty: true, env }));
    expect(asked.stdout).toBe('1000.00 RUB\n');
  });

  it('is that of amounts and counts in tables and of what an answer has cost', async () => {
    const { stdout, stderr } = await run('--local chat -m local/echo hi', {
      tty: true,
      env: inRussian,
    });
    expect(stdout).toBe('hi\n');
    const cost = '0,00004\u00a0₽ · баланс 1\u00a0000,00\u00a0₽';
    expect(stderr).toContain(`токены: вход 1, выход 1 · ${cost}`);
  });
});

it('has a Russian title for each heading of the help, and the commands as they are typed', async () => {
  const { stdout } = await run('help chat --all', { env: inRussian });
  expect(stdout).toMatch(/^Как вызвать: svc chat /);
  expect(stdout).toMatch(/^Флаги:$/m);
  expect(stdout).toContain('--max-tokens');
  expect(stdout).not.toMatch(/^[A-Z][a-z ]+:$/m);
});
