import { formatRub } from '../../lib/amounts.js';
import { formatAge } from '../../lib/duration.js';
import type { CheckName, DoctorTexts, FindingTexts } from '../doctor.js';
import { counted } from './counted.js';
import { fileReasons } from './file-reasons.js';

const checks: Readonly<Record<CheckName, string>> = {
  runtime: 'среда',
  svc: 'svc',
  config: 'настройки',
  data: 'данные',
  address: 'адрес',
  clock: 'часы',
  proxy: 'прокси',
  certificates: 'сертификаты',
  dns: 'DNS',
  connection: 'соединение',
  key: 'ключ',
  balance: 'баланс',
  terminal: 'терминал',
  unfinished: 'задания',
};

const marks: Readonly<Record<string, string>> = {
  ok: 'норма',
  warning: 'внимание',
  failed: 'неполадка',
  skipped: 'пропуск',
};

const units: Readonly<Record<string, string>> = { s: 'с', min: 'мин', h: 'ч', d: 'дн.' };
const age = (ms: number) => formatAge(ms).replace(/[a-z]+$/, (unit) => units[unit] ?? unit);

const jobs = ['задание', 'задания', 'заданий'] as const;
const requests = ['запрос', 'запроса', 'запросов'] as const;
const unfinished = {
  unansweredJobs: [jobs, 'без ответа'],
  unansweredRequests: [requests, 'без ответа'],
  unpricedRequests: [requests, 'без цены'],
  runningJobs: [jobs, 'в работе'],
  unsavedJobs: [jobs, 'можно скачать'],
} as const;

/** Who has installed svc, after «установлен». */
const installers: Readonly<Record<string, string>> = {
  'the install script': 'скриптом install.sh',
  'an archive': 'из архива',
};

const findings: FindingTexts = {
  singleBinary: (runtime) => `один исполняемый файл, ${runtime}`,
  installed: (version, by, path) =>
    `${version}, установлен ${installers[by] ?? `через ${by}`} в ${path}`,
  notWritten: (file) => `${file}, ещё не создан`,
  cannotWrite: (folder, reason, code) => ({
    warning: `svc не может писать в ${folder}: ${fileReasons[code] ?? reason}`,
    hint: 'разрешите запись или задайте в SVC_CONFIG_DIR другую папку',
  }),
  diskIsFull: (folder, command) => ({
    warning: `на диске с папкой ${folder} нет места`,
    hint: `освободите место; сколько его осталось, покажет ${command}`,
  }),
  isShared: (paths) => `другие пользователи могут прочитать ${paths.join(' и ')}`,
  noAnswer: 'сервис не ответил',
  noDate: 'сервис не сообщает время',
  sameTime: 'идут верно: с сервисом расходятся меньше чем на минуту',
  otherTime: (aheadMs, command) => ({
    warning: `${aheadMs > 0 ? 'спешат' : 'отстают'} на ${age(Math.abs(aheadMs))} относительно сервиса`,
    hint: `переведите часы: ${command}`,
  }),
  noProxy: 'для этого адреса не задан',
  proxy: (address, variable) => `через ${address} (${variable})`,
  uncheckedCertificates: {
    warning: 'сертификаты не проверяются: в NODE_TLS_REJECT_UNAUTHORIZED стоит 0',
    hint: 'уберите NODE_TLS_REJECT_UNAUTHORIZED',
  },
  certificates: (file) =>
    file === undefined ? 'встроенные корневые' : `встроенные корневые и из ${file}`,
  unusedCertificates: (file, reason, code) => ({
    warning: `сертификаты из ${file} не действуют: ${code === '' ? 'это не PEM' : (fileReasons[code] ?? reason)}`,
    hint: 'укажите в NODE_EXTRA_CA_CERTS файл PEM или уберите эту переменную',
  }),
  resolves: (host, addresses) => `${host} → ${addresses.join(', ')}`,
  notEncrypted: 'есть, без шифрования',
  encrypted: (protocol, issuer, until) =>
    `${protocol}, сертификат от ${issuer}, действует до ${until}`,
  renewCertificate: 'попросите поддержку обновить сертификат: `svc tickets create`',
  keyNotNeeded: 'с --local не нужен',
  keyAccepted: (key, source) => `${key} (${source}), сервис его принимает`,
  balance: (leftRub) => formatRub(leftRub, 'ru'),
  lowBalance: (leftRub) => ({
    warning: `осталось ${formatRub(leftRub, 'ru')}`,
    hint: 'пополните баланс в личном кабинете сервиса',
  }),
  noTerminal: 'stdout — не терминал',
  terminal: ({ name, columns, hasColours, images, locale = 'локаль не задана' }) => {
    const pictures = images === undefined ? 'без изображений' : `изображения ${images}`;
    const colours = hasColours ? 'в цвете' : 'без цвета';
    return `${name}, ширина ${columns}, ${colours}, ${pictures}, ${locale}`;
  },
  unknownTerminal: 'неизвестный терминал',
  wrongLetters: 'буквы могут показываться неверно',
  unfinished: (kind, count) => {
    const [forms, how] = unfinished[kind];
    return `${counted(count, forms)} ${how}`;
  },
  nothingUnfinished: 'незавершённых нет',
};

export const doctor: DoctorTexts = {
  checking: 'идёт проверка',
  check: (name) => checks[name],
  titles: { check: 'ПРОВЕРКА', status: 'СТАТУС', message: 'СООБЩЕНИЕ' },
  mark: (mark) => marks[mark] ?? mark,
  hint: (words) => `подсказка: ${words}`,
  notTried: (why) => `не проверялось: ${why}`,
  needs: (check) => `не пройдена проверка «${checks[check]}»`,
  othersAreFine: (fine, skipped, command) => {
    const left =
      skipped === 0 ? '' : `, ${counted(skipped, ['пропущена', 'пропущены', 'пропущено'])}`;
    return `${counted(fine, ['проверка', 'проверки', 'проверок'])} без замечаний${left}: ${command}`;
  },
  checked: (isLocal) =>
    `проверены этот компьютер${isLocal ? ' и встроенный сервис' : ', сеть, ключ и баланс'}`,
  allIsWell: (command) => `всё в порядке (подробнее: ${command})`,
  findings,
};
