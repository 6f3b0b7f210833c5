import { formatRub } from '../../lib/amounts.js';
import type { LoginTexts } from '../login.js';

const list = (profiles: readonly string[]) => profiles.map((name) => `«${name}»`).join(', ');

const kinds = {
  chat: 'диалог',
  image: 'изображения',
  speech: 'речь',
  video: 'видео',
  transcription: 'расшифровка',
  music: 'музыка',
  audio: 'звуки',
  '3d': '3D-модели',
  embedding: 'векторы',
  decision: 'решения',
} as const;

/** After «для». */
const purposes = {
  chat: 'диалога',
  image: 'изображений',
  speech: 'речи',
  video: 'видео',
  transcription: 'расшифровки',
  music: 'музыки',
  audio: 'звуков',
  '3d': '3D-моделей',
  embedding: 'векторов',
  decision: 'решений',
} as const;

const stored = {
  file: 'Ключ сохранён',
  keychain: 'Ключ сохранён в связке ключей',
  command: 'Ключ выдаёт key_command',
} as const;

export const login: LoginTexts = {
  warning: 'внимание:',
  aboutBaseUrl: 'Базовый URL — это адрес API сервиса, например https://api.example.com.',
  baseUrlQuestion: 'Базовый URL',
  badBaseUrl: () => 'нужен адрес вида https://host: без имени и пароля, без «?» и «#»',
  createKey: 'Создайте ключ в личном кабинете сервиса и вставьте его сюда.',
  keyQuestion: 'Ключ',
  keyCommandQuestion: 'Команда, которая выводит ключ',
  otherPrefix: (keyPrefix) => `ключи этого сервиса начинаются с ${keyPrefix}, а этот — нет`,
  keyStays: (which, name) =>
    `${which === 'new' ? 'новый' : 'прежний'} ключ остался в связке ключей как svc, «${name}»: разблокируйте её и удалите ключ там`,
  stored: ({ store, service, profile, balanceRub }) => {
    const proved =
      balanceRub === undefined ? 'не проверен' : `баланс ${formatRub(balanceRub, 'ru')}`;
    return `${stored[store]}: ${service}, профиль «${profile}», ${proved}.`;
  },
  isOverridden: 'задана переменная SVC_API_KEY, она важнее сохранённого ключа',
  noDefaultModel: (command) => `модель по умолчанию не задана: ${command}`,
  next: (model) => `Что дальше: svc chat ${model === undefined ? '-m MODEL ' : ''}"ваш вопрос"`,
  titles: {
    service: 'Сервис',
    profile: 'Профиль',
    baseUrl: 'Базовый URL',
    key: 'Ключ',
    balance: 'Баланс',
  },
  embedded: 'встроенный',
  removed: (profiles) =>
    profiles.length > 1
      ? `Ключи профилей ${list(profiles)} удалены.`
      : `Ключ профиля ${list(profiles)} удалён.`,
  noneStored: (profile) =>
    profile === undefined ? 'Ни в одном профиле ключа нет.' : `В профиле «${profile}» ключа нет.`,
  isStillUsed: 'переменная SVC_API_KEY всё ещё задана и действует',
  refusals: {
    login: {
      401: 'сервис не знает этот ключ, и он не сохранён; скопируйте ключ в личном кабинете ещё раз или проверьте базовый URL',
      403: 'с этого адреса сервис ключ не принимает, и он не сохранён; разрешите адрес в личном кабинете или сохраните ключ без проверки: svc login --no-verify',
      404: 'похоже, по этому адресу не API сервиса, и ключ не сохранён; проверьте базовый URL',
    },
    whoami: {
      401: 'сервис не знает этот ключ; создайте ключ в личном кабинете и выполните: svc login',
      403: 'с этого адреса сервис ключ не принимает; добавьте адрес в список разрешённых для ключа в личном кабинете',
      404: 'похоже, по этому адресу не API сервиса; проверьте базовый URL: svc config get base_url',
    },
  },
  models: {
    kind: (kind) => kinds[kind],
    questionFor: (kind) => `Модель по умолчанию для ${purposes[kind]}`,
    none: 'не задавать',
    othersQuestion: 'Модели по умолчанию для остального',
    others: { these: 'взять эти', each: 'выбрать каждую', none: 'не задавать' },
    ask: (model, price) => `Спросите ${model} (${price}; Enter — нет):`,
  },
};
