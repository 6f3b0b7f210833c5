import { decide as ask } from '../../api/decisions.js';
import type { Handler } from '../../cli/declaration.js';
import { NotSo } from '../../errors.js';
import { costFor, tellCost } from '../cost.js';
import { demandModel } from '../known-model.js';
import { mayCost } from '../may-cost.js';
import { answerTo } from './answer.js';
import { conditionFrom, isMet } from './condition.js';
import type { decide } from './index.js';
import { questionsIn, stateFrom } from './input.js';
import { bodyFrom, questionsFrom } from './questions.js';
import { showAnswers } from './show.js';

/** Decides questions about a state. */
export const run: Handler<typeof decide> = async (context, { options }) => {
  const { out, flags } = context;
  const { questions: path } = options;
  const inFile = path === undefined ? undefined : await questionsIn(context, path);
  const questions = questionsFrom(options, inFile);
  const conditions = options.exitOn.map((text) => conditionFrom(text, questions));
  const state = await stateFrom(context, options.state, path === '-');
  const model = options.model?.trim();
  const client = await context.client();
  if (model !== undefined) await demandModel(context, client, model, 'decision');
  const body = bodyFrom(state, questions, model);
  const { answers, tokens, reply, ids } = await mayCost(context, client, (paying) =>
    ask(paying, body),
  );
  if (!flags.json) await showAnswers(out, questions, answers);
  const cost = await costFor(context, client, { ids });
  if (flags.json) await out.json({ ...reply, cost, ids });
  tellCost(context, cost, tokens === undefined ? [] : [`${String(tokens)} tokens`]);
  if (!conditions.every((condition) => isMet(condition, answerTo(condition.name, answers)))) {
    throw new NotSo();
  }
};
