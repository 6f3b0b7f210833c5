import { command, text, under, type Loaded } from '../../cli/declaration.js';
import { decisionQuestions } from '../../contract/limits.js';

const { min, max } = decisionQuestions;

export const decide = command('decide', 'answer named questions about a text, with probabilities', {
  heading: 'Text',
  description: `Decide ${min} to ${max} named questions about a state: which of several options (--choice), which level of a scale (--score), or how likely a yes (--noul).\nThe state is text, or JSON; without --state it is what is piped in. With --exit-on, svc ends with 0 when the answer is that one, and with 13 when it is another.`,
  options: {
    state: text('TEXT|@FILE|-', 'what to decide about; a JSON object or list goes as one'),
    model: text.model('the decisions model, where there is more than one'),
    ...under('Questions', {
      choice: text("NAME='QUESTION'", 'which option? may be repeated', { many: true }),
      option: text.several("NAME:OPTION='MEANING'", 'an option of a --choice'),
      score: text("NAME='QUESTION'", 'which level? may be repeated', { many: true }),
      level: text.several("NAME='LEVEL'", 'a level of a --score, the lowest first'),
      noul: text("NAME='QUESTION'", 'how likely is a yes? may be repeated', { many: true }),
      questions: text('FILE|-', 'questions by name, as JSON or YAML'),
    }),
    exitOn: text.several(
      'NAME=VALUE',
      'end with 13 unless this is the answer; also !=, >= and <=',
      {
        heading: 'Scripts',
      },
    ),
  },
  examples: [
    "svc --local decide --state 'My card was charged twice' --choice team='Who should answer?' --option team:billing='payments and invoices' --option team:tech='errors and outages' # offline, no account",
    "svc decide --state @mail.txt --score mood='How does the writer feel?' --level mood=calm --level mood=annoyed --level mood=furious # a level of a scale",
    "svc decide --noul spam='Is this spam?' --exit-on 'spam>=0.8' < mail.txt && rm mail.txt # a script that branches",
    'svc decide --questions questions.yaml --json < mail.txt # from a file',
  ],
  endpoints: ['decisions.create', 'models.list', 'models.pricing', 'models.get'],
  load: (): Promise<Loaded> => import('./decide.js'),
});
