import type { ExitName } from '../../exit-codes.js';
import type { ErrorWords, RefusalStatus } from '../errors.js';

/** What the service means by a status, whatever its own code and message. */
export const refusals: Readonly<Record<RefusalStatus, ErrorWords>> = {
  401: {
    meaning: 'сервис не принял ключ или сессию',
    next: 'проверьте ключ: `svc whoami`, или сохраните другой: `svc login`',
  },
  402: {
    meaning: 'на балансе мало денег',
    next: 'пополните его в личном кабинете; сколько осталось, покажет `svc balance`',
  },
  403: {
    meaning: 'этому ключу не разрешён адрес этого компьютера',
    next: 'добавьте адрес в список разрешённых в личном кабинете',
  },
};

export const exits: Readonly<Record<ExitName, string>> = {
  done: 'успех',
  bug: 'ошибка в самом svc',
  usage: 'ошибка в команде или во входных данных; ничего не отправлено',
  refused: 'сервис отказал',
  key: 'ключа нет или он неверен, адрес не разрешён или настройки не годятся',
  money: 'мало денег на балансе или цена выше потолка',
  unreached:
    'сервис недоступен, не ответил вовремя или дал сбой; деньги не списаны: запустите ещё раз',
  rateLimit: 'лимит запросов исчерпан, даже после паузы, о которой попросил сервис',
  pending: 'ещё не готово; идентификатор выведен',
  jobFailed: 'задание не удалось',
  outcomeUnknown: 'исход неизвестен: сервис мог принять запрос и списать деньги',
  localFile: 'ошибка с файлом на этом компьютере',
  incomplete:
    'результат неполный: оборвался поток, список или файл, не загружен оплаченный результат или удалось не всё',
  notSo: 'ответ «нет»: не тот, что указан в decide --exit-on, или svc отличается от выпуска',
  interrupted: 'прервано (Ctrl-C)',
  readerGone: 'программа, которая читала stdout, завершилась',
  terminated: 'остановлено (SIGTERM)',
};
