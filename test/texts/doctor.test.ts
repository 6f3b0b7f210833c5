import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemClock } from '../../src/lib/clock.js';
import { counted } from '../../src/texts/ru/counted.js';
import { begun } from '../commands/jobs/begun.js';
import { homeWith } from '../helpers/config-home.js';
import { fakeService, json } from '../helpers/fake-service.js';
import { testFolder } from '../helpers/folder.js';
import { run } from '../helpers/run.js';
import { readable } from '../terminal/styled.js';
import { latinWords } from './latin.js';

const env = { SVC_LANG: 'ru', LANG: 'ru_RU.UTF-8', TERM: 'dumb' };
const nowMs = Date.parse('2026-11-23T12:00:00Z');
const clock = { ...systemClock, now: () => nowMs };
/** A service without money for the key, whose clock is ten minutes behind. */
const poorService = () =>
  fakeService(json({ balance_rub: 0 }, 200, { date: new Date(nowMs - 600_000).toUTCString() }));

it('svc doctor says in Russian what it checks, finds and advises', async () => {
  const { env: service } = await poorService();
  const home = homeWith({});
  chmodSync(join(home, 'config.json'), 0o644);
  const wrong = { ...env, ...service, NODE_EXTRA_CA_CERTS: '/none.pem' };
  const screen = { home, tty: true, env: wrong, columns: 140, clock };
  const { stdout } = await run('doctor --all', screen);
  const checks =
    'ПРОВЕРКА среда svc настройки данные адрес часы прокси сертификаты DNS соединение ключ баланс терминал задания';
  expect(stdout.match(/^\S+/gm)?.join(' ')).toBe(checks);
  expect(stdout).toContain(`другие пользователи могут прочитать ${home}/config.json\n`);
  expect(stdout).toMatch(/спешат на 10 мин относительно сервиса\n +подсказка: переведите часы: /);
  expect(stdout).toContain('из /none.pem не действуют: такого файла или папки нет\n');
  expect(stdout).toMatch(/осталось 0,00\u00a0₽\n +подсказка: пополните баланс в личном кабинете/);
  const known = /подсказка: .*(?:sudo|w32tm|export|chmod) .*|dumb|Node/g;
  expect(latinWords(stdout.replace(known, ''))).toEqual([]);
  const narrow = await run('doctor --all', { ...screen, columns: 40 });
  expect(narrow.stdout).not.toMatch(/^.{41}/m);
  const inColour = { colour: true, env: { ...wrong, TERM: 'xterm' } };
  const coloured = await run('doctor', { ...screen, ...inColour });
  expect(readable(coloured.stdout)).toContain('⟨y:!⟩       осталось');
});

it('svc doctor counts in Russian what is fine, and explains an English message', async () => {
  for (const [ACCESSIBLE, mark] of Object.entries({ 0: '✓', 1: 'норма:' })) {
    const screen = { ...env, TERM: 'xterm', ACCESSIBLE };
    const { stdout } = await run('--local doctor', { tty: true, env: screen });
    expect(stdout).toMatch(RegExp(`^${mark} проверены этот .*\n${mark} всё в порядке `));
  }
  const { stdout, stderr } = await run('doctor', { tty: true, env, columns: 140 });
  const meaning = 'пояснение: базовый URL не задан; выполните `svc init`';
  expect(stdout).toMatch(RegExp(`^адрес +✗ +no base URL is known\n +${meaning}`, 'm'));
  expect(stderr).toBe('5 проверок без замечаний, 7 пропущено: svc doctor --all\n');
});

it('svc doctor counts jobs as Russian does, with words for marks where lines are read aloud', async () => {
  const at = await begun('one', 'two');
  const { stdout } = await at.svc('doctor', { tty: true, env: { ...env, ACCESSIBLE: '1' } });
  expect(stdout).toMatch(/^задания +внимание +2 задания в работе\n +подсказка: svc jobs wait /m);
  const jobs = [1, 2, 11, 21, 1000, 1.5].map((n) => counted(n, ['задание', 'задания', 'заданий']));
  expect(jobs.join(', ').replaceAll('\u00a0', ' ')).toBe(
    '1 задание, 2 задания, 11 заданий, 21 задание, 1 000 заданий, 1,5 задания',
  );
});

it('svc doctor is English in a pipe and in JSON, whatever the language', async () => {
  const { env: service } = await poorService();
  for (const line of ['doctor', 'doctor --json', 'doctor --header', '--local doctor']) {
    for (const where of [service, {}]) {
      const options = { home: testFolder(), clock, tty: line.endsWith('json') };
      const russian = await run(line, { ...options, env: { ...where, SVC_LANG: 'ru' } });
      const english = await run(line, { ...options, env: where });
      expect(russian.stdout, line).toBe(english.stdout);
    }
  }
});
