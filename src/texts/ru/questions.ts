import type { QuestionWords } from '../../terminal/types.js';
import type { SourceTexts, Texts } from '../texts.js';

const actions: Readonly<Record<string, string>> = {
  navigate: 'перейти',
  select: 'выбрать',
  skip: 'пропустить',
  'toggle visibility': 'показать или скрыть',
};

export const questions: QuestionWords = {
  action: (name) => actions[name] ?? name,
  withUsual: (message, usual) => `${message} (Enter — ${usual})`,
  notShown: (message) => `${message} (при вводе не виден)`,
  numberOrWords: 'Номер или слова для поиска (Enter — пропустить)',
  count: (count, shown, isFound) => {
    const words = `${isFound ? 'найдено' : 'всего'}: ${count}`;
    return shown < count ? `${words}, показаны первые ${shown}` : words;
  },
  nothingFound: 'ничего не найдено',
  numberUpTo: (count) => `введите число от 1 до ${count}`,
};

export const sources: SourceTexts = {
  none: 'не задан',
  config: 'файл настроек',
  profile: 'профиль',
  default: 'по умолчанию',
  file: 'файл',
  keychain: 'связка ключей',
};

export const settings: Texts['settings'] = {
  set: (name, value, profile) => `Задано: ${name} = ${value}, профиль «${profile}».`,
  removed: (name, profile) => `Настройка ${name} удалена из профиля «${profile}».`,
  wasNotSet: (name, profile) => `Настройка ${name} в профиле «${profile}» не задана.`,
};
