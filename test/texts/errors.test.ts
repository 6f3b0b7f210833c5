import { describe, expect, it } from 'vitest';
import { usualHints } from '../../src/api/failure.js';
import { errorList } from '../../src/error-codes.js';
import { exitNames } from '../../src/exit-codes.js';
import { fileTrouble } from '../../src/files/file-trouble.js';
import { explanationOf } from '../../src/texts/explanation.js';
import { ru } from '../../src/texts/ru/index.js';
import { fakeService, json } from '../helpers/fake-service.js';
import { run } from '../helpers/run.js';
import { latinWords } from './latin.js';

/** Commands in backticks, flags and variables: what is typed, in any language. */
const typed = (words: string) =>
  [...words.matchAll(/`[^`]+`|(?<![\w-])--?[a-z][\w-]*|\b[A-Z]+_[A-Z_]+/g)].map(([one]) => one);
/** Names and examples, which are the same in all languages. */
const names = (
  'NODE EXTRA CERTS EDITOR VISUAL FILE MODEL NAME VALUE HTTP https JSON YAML Cookie cookie Ctrl stdin stdout ' +
  'stderr libsql ffmpeg extvoice grep mkdir command inputSchema cost priceRub limit none part record'
).split(' ');
const pages = errorList().map(({ code, meaning, next }) => {
  const { meaning: ruMeaning, next: ruNext } = ru.errors.words(code);
  return { code, english: `${meaning}; ${next}`, russian: `${ruMeaning}; ${ruNext}`, ruMeaning };
});

describe('the words for a code in Russian', () => {
  it('name the same commands, flags and variables as the English ones', () => {
    for (const { code, english, russian } of pages) {
      expect([code, ...typed(russian).sort()]).toEqual([code, ...typed(english).sort()]);
    }
    for (const status of [401, 402, 403] as const)
      expect(typed(ru.errors.refusal(status).next)).toEqual(typed(usualHints[status]));
  });

  it('are Russian apart from names, and clauses without a full stop', () => {
    for (const { code, russian, ruMeaning } of pages) {
      const strange = latinWords(russian).filter((word) => !names.includes(word));
      expect([code, ...strange]).toEqual([code]);
      expect(ruMeaning, code).toMatch(/[а-яё]{2}/);
      expect(russian, code).not.toMatch(/(?<! )[.,;:]$|^[А-ЯЁ]/);
    }
    for (const name of exitNames) expect(ru.errors.exit(name), name).toMatch(/^[а-яё][^.]*$/);
  });
});

const env = { SVC_LANG: 'ru' };

describe('an error under ru', () => {
  it('is explained in Russian below its message, on a terminal and in a pipe', async () => {
    const usage = 'пояснение: команда введена неверно; как её вводить, покажет --help\n';
    for (const tty of [true, false]) {
      const { stderr, code } = await run('jobs list --bogus', { env, tty });
      expect(stderr).toBe(`error: unknown option --bogus\n${usage}hint: svc jobs list --help\n`);
      expect(code).toBe(2);
    }
    const { stderr } = await run('--local logs show c9', { env });
    expect(stderr).toContain('в журнале этого нет; шаги покажет `svc --local logs`, ');
    expect((await run('--local chat -c hi', { env })).stderr).toContain(
      'диалога нет; посмотрите список: `svc --local logs conversations`\nhint: ',
    );
  });

  it('has no hint that would say the same in English', async () => {
    for (const said of [
      'balance',
      'balance --base-url http://127.0.0.1:9',
      '--local jobs show zzz',
    ]) {
      const hinted = await run(said, { env });
      expect(hinted.stderr).toMatch(/^error: .*\nпояснение: .*\n(?!hint)/);
    }
    const line = 'models list --base-url https://e.org';
    const hint = 'hint: run `svc --base-url https://e.org login` or set SVC_API_KEY\n';
    const message = 'error: no key is set\n';
    expect((await run(line)).stderr).toBe(message + hint);
    const { stderr } = await run(line, { env });
    expect(stderr).toBe(
      `${message}пояснение: ключ для этого сервиса не задан; выполните \`svc --base-url https://e.org login\` или задайте SVC_API_KEY\n`,
    );
  });

  it('is the same in JSON and for a coding agent', async () => {
    const same = async (line: string, more: Record<string, string | undefined> = {}) => {
      const result = await run(line, { env: { ...more, ...env } });
      expect(result).toEqual(await run(line, { env: more }));
      expect(result.stderr).not.toBe('');
    };
    await same('chat hi --json');
    await same('chat hi', { AI_AGENT: 'one' });
  });

  it('is explained by the status or the exit code where only the service knows its code', async () => {
    const refused = async (status: number, more = {}) => {
      const refusal = { error: { code: 'of_the_service', message: 'no', ...more } };
      const service = await fakeService(json(refusal, status));
      return (await run('balance', { env: { ...service.env, ...env } })).stderr;
    };
    const explained = (words: string) => `error: no\nпояснение: ${words}\n`;
    expect(await refused(400)).toBe(explained('сервис отказал'));
    expect(await refused(402)).toBe(
      explained(
        'на балансе мало денег; пополните его в личном кабинете; сколько осталось, покажет `svc balance`',
      ),
    );
    expect(await refused(401)).toMatch(
      /^error: no\nпояснение: сервис не принял ключ .*`svc login`\n$/,
    );
    expect(await refused(403)).toMatch(/^error: no\nпояснение: этому ключу .* кабинете\n$/);
    expect(await refused(503)).toContain('деньги не списаны: запустите ещё раз\nhint: ');
    expect(await refused(404, { code: 'model_not_found' })).toBe(
      explained('такой модели нет; посмотрите список: `svc models list`'),
    );
  });

  it('says in Russian why the system refuses a file', async () => {
    const words = async (code: string) => {
      const trouble = fileTrouble(Object.assign(new Error(), { code }), 'cannot write x');
      return (await explanationOf(trouble, 'ru'))?.words;
    };
    expect(await words('ENOSPC')).toBe('файл нельзя прочитать или записать: на диске нет места');
    expect(await words('SQLITE_CORRUPT_INDEX')).toMatch(/: он повреждён$/);
    expect(await words('EXDEV')).toMatch(/; причина названа в сообщении$/);
  });

  it('is not explained in a session, whose commands have no --help', async () => {
    const { stderr } = await run('--local chat -i -m local/echo', {
      env,
      tty: true,
      typed: [
        ['> ', '/undo\r'],
        ['> ', '/attach none\r'],
        ['> ', '/exit\r'],
      ],
    });
    expect(stderr).toContain('there is nothing to undo');
    expect(stderr).toContain('пояснение: такого файла нет; проверьте имя');
    expect(stderr).not.toContain('--help');
  });
});

it('svc help errors and exit-codes are in Russian for people, and in English as JSON', async () => {
  const shown = async (line: string) =>
    (await run(`help ${line}`, { env })).stdout.replace(/\s+/g, ' ');
  const errors = await shown('errors');
  for (const { code, exits } of errorList()) {
    const { meaning, next } = ru.errors.words(code);
    expect(errors).toContain(` завершения ${exits.join(', ')}: ${meaning}; ${next} `);
  }
  expect(errors).toMatch(/^Коды ошибок, их коды завершения .* bad_key коды завершения 2, 4: ключ /);
  expect(await shown('exit-codes')).toMatch(/^Коды завершения и .* 9 задание не удалось /);
  for (const line of ['help errors --json', 'help exit-codes --json'])
    expect(await run(line, { env }), line).toEqual(await run(line));
});
