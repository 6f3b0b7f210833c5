import type { QuestionWords } from '../../terminal/types.js';
import type { SourceTexts, Texts } from '../texts.js';

export const questions: QuestionWords = {
  action: (name) => name,
  withUsual: (message, usual) => `${message} (Enter: ${usual})`,
  notShown: (message) => `${message} (it is not shown)`,
  numberOrWords: 'Number, or words to search for (Enter: skip)',
  count: (count, shown, isFound) => {
    const words = `${count} ${isFound ? 'found' : 'in all'}`;
    return shown < count ? `${words}; the first ${shown} are shown` : words;
  },
  nothingFound: 'nothing found',
  numberUpTo: (count) => `type a number from 1 to ${count}`,
};

export const sources: SourceTexts = {
  none: 'not set',
  config: 'config file',
  profile: 'profile',
  default: 'default',
  file: 'file',
  keychain: 'keychain',
};

export const settings: Texts['settings'] = {
  set: (name, value, profile) => `Set ${name} to ${value} in profile "${profile}".`,
  removed: (name, profile) => `Removed ${name} from profile "${profile}".`,
  wasNotSet: (name, profile) => `${name} was not set in profile "${profile}".`,
};
