import { command, text, under } from '../../command.js';
import { decisionQuestions } from '../../contract/limits.js';
import { cacheOption, priceNote } from '../../jobs/options.js';

const { min, max } = decisionQuestions;

export const decide = command('decide', 'answer named questions about a text, with probabilities', {
  columns: ['question', 'answer', 'probability', 'meaning'],
  heading: 'Text',
  description: `Answer ${min} to ${max} named questions about a text or JSON: which option fits (--choice), which level of a scale (--score), or how likely a yes is (--yes-no).\nThe text or JSON is the state that --state gives; without it, stdin is read. With --exit-on, svc exits with 0 if the answer matches and with 13 if it does not.\n${priceNote}`,
  options: {
    state: text('TEXT|@FILE|-', 'the text or JSON to decide about'),
    model: text.model('the decision model; needed if there are several'),
    ...under('Questions', {
      choice: text.several("NAME='QUESTION'", 'ask which option fits'),
      option: text.several("NAME:OPTION='MEANING'", 'an option of a --choice'),
      score: text.several("NAME='QUESTION'", 'ask which level fits'),
      level: text.several("NAME='LEVEL'", 'a level of a --score, lowest first'),
      yesNo: text.several("NAME='QUESTION'", 'ask how likely a yes is', { also: '--noul' }),
      questions: text('FILE|-', 'a JSON or YAML file of questions by name'),
    }),
    ...cacheOption,
    exitOn: text.several('NAME=VALUE', 'exit with 13 unless this is the answer; also !=, >=, <=', {
      heading: 'Scripts',
    }),
  },
  examples: [
    "svc --local decide --state 'My card was charged twice' --choice team='Who should answer?' --option team:billing='payments and invoices' --option team:tech='errors and outages' # offline, no account",
    "svc decide --state @mail.txt --score mood='How does the writer feel?' --level mood=calm --level mood=annoyed --level mood=furious # a level of a scale",
    "svc decide --yes-no spam='Is this spam?' --exit-on 'spam>=0.8' < mail.txt && rm mail.txt # branch in a script",
    'svc decide --questions questions.yaml --json < mail.txt # from a file',
  ],
  endpoints: ['decisions.create', 'models.list', 'models.pricing', 'models.get'],
});
