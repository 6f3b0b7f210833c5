/** The Russian manual; only a question in Russian loads it. */
import type { Book } from './book.js';
import manual from './manual-ru.json' with { type: 'json' };
import * as terms from './terms-ru.js';

export const russian: Book = {
  passages: manual.passages,
  language: terms,
  sayings: {
    unknown:
      'Не знаю: в руководстве svc нет ответа на этот вопрос. Я работаю на вашем компьютере и только ' +
      'цитирую руководство. Спросите, например, об этом:',
    closing: 'Все команды выводит `svc help`.',
    returned: (count) => (count === 1 ? 'Инструмент вернул:' : 'Инструменты вернули:'),
    noMatch: 'В руководстве нет подходящего раздела.',
    bestMatch: (title) => `Лучше всего подходит раздел «${title}».`,
    weakerMatch: (title) => `Раздел «${title}» подходит хуже.`,
    counts: (words, matches, all) =>
      `Слов в вопросе: ${words}, подходящих разделов: ${matches} из ${all}.`,
  },
  index: () => Promise.resolve(manual.index),
};
