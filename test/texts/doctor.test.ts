import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { installation } from '../../src/commands/update/installation.js';
import { systemClock } from '../../src/lib/clock.js';
import { counted } from '../../src/texts/ru/counted.js';
import { ru } from '../../src/texts/ru/index.js';
import { begun, state } from '../commands/jobs/begun.js';
import { homeWith } from '../helpers/config-home.js';
import { fakeKey, fakeService, json } from '../helpers/fake-service.js';
import { testFolder } from '../helpers/folder.js';
import { run } from '../helpers/run.js';
import { readable } from '../terminal/styled.js';
import { latinWords } from './latin.js';

const env = { SVC_LANG: 'ru', LANG: 'ru_RU.UTF-8', TERM: 'xterm' };
const nowMs = Date.parse('2026-11-23T12:00:00Z');
const clock = { ...systemClock, now: () => nowMs };
/** A service without money for the key, whose clock is ten minutes behind. */
const poorService = () => {
  const date = new Date(nowMs - 600_000).toUTCString();
  return fakeService(json({ balance_rub: 0 }, 200, { date }));
};

describe('svc doctor in Russian', () => {
  it('names each check and what it finds', async () => {
    const { env: service } = await fakeService(json({ balance_rub: 12.5 }));
    const home = testFolder();
    const all = { home, tty: true, env: { ...env, ...service }, columns: 140 };
    const { code, stdout } = await run('doctor --all', all);
    const { by, path } = installation();
    expect(stdout).toBe(`ПРОВЕРКА     СТАТУС  СООБЩЕНИЕ
среда        ✓       Node ${process.version}
svc          ✓       0.0.0-test, установлен через ${by} в ${path}
настройки    ✓       ${home}/config.json, ещё не создан
данные       ✓       ${home}/data/state.db, ещё не создан
адрес        ✓       ${service.SVC_BASE_URL} (SVC_BASE_URL)
часы         ✓       идут верно: с сервисом расходятся меньше чем на минуту
прокси       ✓       для этого адреса не задан
сертификаты  ✓       встроенные корневые
DNS          ✓       127.0.0.1 → 127.0.0.1
соединение   ✓       есть, без шифрования
ключ         ✓       ${fakeKey.slice(0, 2)}… (SVC_API_KEY), сервис его принимает
баланс       ✓       12,50\u00a0₽
терминал     ✓       xterm, ширина 140, без цвета, без изображений, ru_RU.UTF-8
задания      ✓       незавершённых нет
`);
    expect(code).toBe(0);
    expect((await run('doctor', all)).stdout).toBe(
      '✓ проверены этот компьютер, сеть, ключ и баланс\n✓ всё в порядке (подробнее: svc doctor --all)\n',
    );
  });

  it('says what is wrong, what to do, and how many checks are fine', async () => {
    const { env: service } = await poorService();
    const home = homeWith({});
    chmodSync(join(home, 'config.json'), 0o644);
    mkdirSync(join(home, 'data'), { mode: 0o700 });
    const wrong = { ...env, ...service, TERM: 'dumb', NODE_EXTRA_CA_CERTS: '/none.pem' };
    const screen = { home, tty: true, env: wrong, columns: 140, clock };
    const { stdout, stderr } = await run('doctor', screen);
    expect(stdout).toContain(`!       другие пользователи могут прочитать ${home}/config.json\n`);
    expect(stdout).toMatch(/спешат на 10 мин относительно сервиса\n +подсказка: переведите часы: /);
    expect(stdout).toContain('из /none.pem не действуют: такого файла или папки нет\n');
    expect(stdout).toMatch(/осталось 0,00\u00a0₽\n +подсказка: пополните баланс в личном кабинете/);
    expect(stdout).toContain('неизвестный терминал\n');
    expect(stderr).toBe('9 проверок без замечаний: svc doctor --all\n');
    const commands = /подсказка: (?:переведите часы: )?(?:sudo|w32tm|export|chmod) .*|NODE_\w+/g;
    const known = new RegExp(`${commands.source}|TERM|dumb|UTF|ru_RU|xterm`, 'g');
    expect(latinWords(stdout.replace(known, ''))).toEqual([]);
    const inColour = await run('doctor', {
      ...screen,
      colour: true,
      env: { ...wrong, TERM: 'xterm' },
    });
    expect(readable(inColour.stdout)).toContain('⟨y:!⟩       осталось');
    const narrow = await run('doctor --all', { ...screen, columns: 40 });
    const widths = narrow.stdout.split('\n').map((line) => line.length);
    expect(Math.max(...widths)).toBeLessThanOrEqual(40);
  });

  it('explains a problem, whose message is in English', async () => {
    const screen = { tty: true, env, columns: 140, home: testFolder() };
    const { code, stdout, stderr } = await run('doctor', screen);
    expect(stdout).toMatch(
      /^адрес +✗ +no base URL is known\n +пояснение: базовый URL не задан; выполните `svc init` [^]*--local\n$/m,
    );
    expect(stderr).toContain('6 проверок без замечаний, 7 пропущено: svc doctor --all\n');
    expect(code).toBe(4);
  });

  it('counts jobs as Russian does, and has words in place of marks where lines are read aloud', async () => {
    const at = await begun('one', 'two', 'three');
    state(at, 2, { status: 'processing' });
    await at.svc('jobs list');
    const screen = { ...env, ACCESSIBLE: '1' };
    const { stdout } = await at.svc('doctor', { tty: true, env: screen });
    expect(stdout).toMatch(
      /^задания +внимание +1 задание в работе, 2 задания можно скачать\n +подсказка: svc jobs wait --all; /m,
    );
    const skipped = await run('--local doctor --all', { tty: true, env: screen });
    const well = await run('--local doctor', { tty: true, env: screen });
    expect(well.stdout).toMatch(
      /^норма: проверены этот компьютер и встроенный сервис\nнорма: всё в порядке /,
    );
    expect(skipped.stdout).toMatch(/^прокси +пропуск +не проверялось: --local$/m);
    expect(skipped.stdout).toMatch(/^ключ +норма +с --local не нужен$/m);
  });
});

it('svc doctor is English in a pipe and in JSON, whatever the language', async () => {
  const { env: service } = await poorService();
  for (const line of ['doctor', 'doctor --json', 'doctor --header', '--local doctor']) {
    for (const where of [service, {}]) {
      const options = { home: testFolder(), clock };
      const english = await run(line, { ...options, env: where });
      const russian = await run(line, { ...options, env: { ...where, SVC_LANG: 'ru' } });
      expect(russian, line).toEqual(english);
      expect(russian.stdout).not.toMatch(/[а-яё]/i);
    }
  }
  const onTerminal = await run('doctor --json', { tty: true, env: { ...service, SVC_LANG: 'ru' } });
  expect(onTerminal.stdout).not.toMatch(/[а-яё]/i);
});

it.each([
  [1, '1 задание'],
  [2, '2 задания'],
  [5, '5 заданий'],
  [11, '11 заданий'],
  [21, '21 задание'],
  [1000, '1\u00a0000 заданий'],
  [1.5, '1,5 задания'],
])('%d jobs are counted as Russian does', (count, words) => {
  expect(counted(count, ['задание', 'задания', 'заданий'])).toBe(words);
});

it('says in Russian what few computers show', () => {
  const { findings, needs, notTried } = ru.doctor;
  expect(notTried(needs('connection'))).toBe('не проверялось: не пройдена проверка «соединение»');
  expect(findings.cannotWrite('/x', 'the disk is read-only', 'EROFS').warning).toBe(
    'svc не может писать в /x: диск только для чтения',
  );
  expect(findings.unusedCertificates('/x', 'an unknown reason', '').warning).toMatch(/не PEM$/);
  expect(findings.otherTime(-3 * 86_400_000, '').warning).toMatch(/^отстают на 3 дн\. /);
  expect(findings.encrypted('TLSv1.3', 'X', '2026-12-01')).toBe(
    'TLSv1.3, сертификат от X, действует до 2026-12-01',
  );
});
