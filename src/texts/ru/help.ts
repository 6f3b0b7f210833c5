import type { HelpTitle } from '../../command.js';
import type { HelpTexts } from '../texts.js';

const titles: Readonly<Record<HelpTitle, string>> = {
  Usage: 'Как вызвать',
  Examples: 'Примеры',
  Arguments: 'Аргументы',
  Options: 'Флаги',
  Verbs: 'Действия',
  More: 'Ещё',
  Topics: 'Темы справки',
  'Your aliases': 'Ваши псевдонимы',
  'Your extensions': 'Ваши расширения',
  Text: 'Текст',
  Media: 'Изображения, звук, видео',
  Account: 'Аккаунт',
  Support: 'Поддержка',
  Tools: 'Инструменты',
  Answer: 'Ответ',
  Conversation: 'Диалог',
  'Filter and order': 'Отбор и порядок',
  Help: 'Справка',
  Input: 'Входные данные',
  Limits: 'Ограничения',
  'Long texts': 'Длинные тексты',
  Model: 'Модель',
  Money: 'Деньги',
  Output: 'Вывод',
  Pages: 'Страницы',
  Questions: 'Вопросы',
  Ranking: 'Ранжирование',
  Reasoning: 'Рассуждения',
  Request: 'Запрос',
  Results: 'Результаты',
  Resuming: 'Возобновление',
  Scripts: 'Скрипты',
  Service: 'Сервис',
  Tapes: 'Кассеты',
  Templates: 'Шаблоны',
  Time: 'Время',
  'Time range': 'Период',
  'Tools and format': 'Инструменты и формат',
  'Where and how': 'Где и как',
};

export const help: HelpTexts = {
  title: (title) => titles[title],
  rootFooter: (isFull) =>
    isFull
      ? '`svc help NAME` объясняет команду или тему.'
      : '`svc help NAME` объясняет команду, `svc help options` — флаги, общие для всех команд.\n`svc help --all` покажет остальные команды, ваши псевдонимы и расширения.',
  groupFooter: (name, isListing) =>
    `${isListing ? `\`svc ${name}\` без действия — то же, что \`svc ${name} list\`. ` : ''}\`svc help ${name} VERB\` объясняет действие.`,
  moreOptions: (path, count) => `Все флаги по темам (${count}): svc help ${path} --all`,
  commandFooter: 'Флаги, общие для всех команд (--json, --local, --quiet …): svc help options',
};
