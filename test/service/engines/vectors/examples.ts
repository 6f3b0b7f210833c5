/** Labelled examples that local/decide is calibrated and judged by. */

export interface ChoiceExample {
  readonly state: string;
  readonly criteria: Readonly<Record<string, string>>;
  readonly right: string;
}

export interface ScoreExample {
  readonly state: string;
  readonly levels: readonly string[];
  /** The number of the level, from 1. */
  readonly right: number;
}

export interface NoulExample {
  readonly state: string;
  readonly instructions: string;
  readonly right: boolean;
}

const support = {
  billing: 'Charges, invoices, payments, refunds and money back',
  technical: 'Errors, crashes, bugs, the app or a page does not work or load',
  account: 'Login, password, email address, profile and account settings',
  delivery: 'Orders, parcels, shipping, couriers and delivery dates',
};

const поддержка = {
  оплата: 'Оплата, счета, списания, возврат денег',
  техника: 'Ошибки, сбои, приложение не работает или не открывается',
  доставка: 'Заказы, посылки, курьер, сроки доставки',
};

const subjects = {
  sport: 'Matches, teams, players, goals, coaches and championships',
  science: 'Research, scientists, experiments, planets, genes and discoveries',
  politics: 'Elections, parliament, ministers, laws and governments',
  food: 'Recipes, cooking, restaurants, dishes and taste',
};

const languages = {
  python: 'Python: def, import, indentation, pip, django',
  javascript: 'JavaScript: const, function, npm, node, react',
  sql: 'SQL: select, from, join, table, query',
};

function choices(
  criteria: Readonly<Record<string, string>>,
  ...pairs: readonly (readonly [state: string, right: string])[]
): ChoiceExample[] {
  return pairs.map(([state, right]) => ({ state, criteria, right }));
}

/** Some of them are hard on purpose: probabilities are only calibrated where there are mistakes. */
export const choiceExamples: readonly ChoiceExample[] = [
  ...choices(
    support,
    ['I was charged twice this month. Please send my money back.', 'billing'],
    ['Where is the invoice for my last payment?', 'billing'],
    ['Your refunds take too long.', 'billing'],
    ['The card payment went through but the amount is wrong.', 'billing'],
    ['You took 30 dollars and I never bought anything.', 'billing'],
    ['The app crashes when I open a photo.', 'technical'],
    ['I get error 500 on every page.', 'technical'],
    ['The page with my orders does not load, only an error.', 'technical'],
    ['There is a bug: the button does not work.', 'technical'],
    ['Everything freezes after the update.', 'technical'],
    ['I forgot my password and cannot login.', 'account'],
    ['How do I change the email address of my profile?', 'account'],
    ['Please delete my account.', 'account'],
    ['The settings of my account show a wrong name.', 'account'],
    ['Someone else signed in as me.', 'account'],
    ['My parcel has not arrived and the courier does not answer.', 'delivery'],
    ['What is the delivery date of my order?', 'delivery'],
    ['Shipping to Norway: how long does it take?', 'delivery'],
    ['The box came broken and half of it is missing.', 'delivery'],
    ['I want to pay for faster delivery of my order.', 'delivery'],
  ),
  ...choices(
    поддержка,
    ['С меня дважды списали деньги, верните оплату', 'оплата'],
    ['Пришлите счёт за прошлый месяц', 'оплата'],
    ['Когда будет возврат денег?', 'оплата'],
    ['Приложение не открывается, пишет про ошибку', 'техника'],
    ['После обновления сплошные сбои', 'техника'],
    ['Сайт не работает второй день', 'техника'],
    ['Где моя посылка?', 'доставка'],
    ['Курьер не приехал, заказ так и не доставили', 'доставка'],
    ['Какие сроки доставки в Казань?', 'доставка'],
    ['Хочу оплатить заказ при получении у курьера', 'доставка'],
  ),
  ...choices(
    subjects,
    ['The team won the championship after two late goals.', 'sport'],
    ['The coach praised his players after the match.', 'sport'],
    ['She ran a hundred metres faster than anyone before.', 'sport'],
    ['Scientists discovered a planet made of diamond.', 'science'],
    ['New research links a gene to long sleep.', 'science'],
    ['The experiment was repeated in three laboratories.', 'science'],
    ['Water was found under the ice of a distant moon.', 'science'],
    ['The minister resigned before the elections.', 'politics'],
    ['Parliament passed a law on data protection.', 'politics'],
    ['The government fell after a vote at night.', 'politics'],
    ['Voters wait in long lines.', 'politics'],
    ['A recipe for soup that takes ten minutes of cooking.', 'food'],
    ['This restaurant serves the best dishes in town.', 'food'],
    ['Too much salt spoils the taste.', 'food'],
    ['Bake it for an hour and let it rest.', 'food'],
    ['The law of the kitchen: taste before you serve.', 'food'],
  ),
  ...choices(
    languages,
    ['import os\ndef main():\n    print("hi")', 'python'],
    ['pip install django fails on my machine', 'python'],
    ['const x = function () { return 1 }', 'javascript'],
    ['npm run build: react is not defined', 'javascript'],
    ['select name from users join orders on users.id = orders.user', 'sql'],
    ['the query scans the whole table', 'sql'],
    ['import React from "react"', 'javascript'],
    ['while True: pass', 'python'],
  ),
];

const anger = [
  'calm, friendly, thanks, pleased and happy',
  'disappointed, annoyed, not happy, tired of waiting',
  'furious, angry, outrageous, unacceptable, lawyer, never again',
];
const severity = [
  'cosmetic: a typo, a wrong colour, wording, alignment',
  'minor: slow, inconvenient, there is a workaround',
  'major: a feature does not work for some users',
  'critical: data loss, outage, security, everything is down for everyone',
];
const stars = [
  'terrible, awful, broken, waste of money',
  'average, okay, fine, so-so',
  'excellent, great, love it, perfect',
];

function scores(
  levels: readonly string[],
  ...pairs: readonly (readonly [state: string, right: number])[]
): ScoreExample[] {
  return pairs.map(([state, right]) => ({ state, levels, right }));
}

export const scoreExamples: readonly ScoreExample[] = [
  ...scores(
    anger,
    ['Thanks a lot, I am very happy with the result!', 1],
    ['Many thanks for the friendly help.', 1],
    ['All good here, no hurry.', 1],
    ['I am a bit disappointed with the delay.', 2],
    ['I am tired of waiting for an answer.', 2],
    ['Not happy about this. It should have been done last week.', 2],
    ['This is outrageous! I am calling my lawyer.', 3],
    ['Unacceptable. I will never buy here again.', 3],
    ['I am furious and so is my boss.', 3],
    ['How dare you ignore me for a month?!', 3],
  ),
  ...scores(
    severity,
    ['There is a typo in the footer.', 1],
    ['The button has the wrong colour on dark pages.', 1],
    ['The alignment of the icons is off by a pixel.', 1],
    ['Search is slow in the morning, but there is a workaround.', 2],
    ['It is inconvenient to scroll so far.', 2],
    ['Export does not work for users with an accent in their name.', 3],
    ['Some users cannot use the print feature.', 3],
    ['Everything is down, nobody can reach the service.', 4],
    ['We found a security hole that leaks data.', 4],
    ['The nightly job deleted the records of all customers.', 4],
    ['Pages take ten seconds to open.', 2],
  ),
  ...scores(
    stars,
    ['Absolutely love it, works great.', 3],
    ['Perfect. An excellent product.', 3],
    ['It is okay, nothing special.', 2],
    ['Average quality, fine for the price.', 2],
    ['Arrived broken. Awful.', 1],
    ['A terrible waste of money.', 1],
    ['Best thing I bought this year.', 3],
    ['Stopped after two days.', 1],
    ['Neither good nor bad.', 2],
  ),
];

export const noulExamples: readonly NoulExample[] = [
  ...[
    'The customer asks for a refund or wants the money back',
    'The message is about a refund of money',
  ].flatMap((instructions) => [
    { state: 'Please give me a refund, I want my money back.', instructions, right: true },
    { state: 'I ask for a refund of order 1234.', instructions, right: true },
    { state: 'The customer demands the money back for a broken lamp.', instructions, right: true },
    { state: 'When do I get my money?', instructions, right: true },
    { state: 'This was a waste. Return what I paid.', instructions, right: true },
    { state: 'How do I change my password?', instructions, right: false },
    { state: 'Thanks, the lamp looks beautiful on my desk.', instructions, right: false },
    { state: 'The courier was late again.', instructions, right: false },
    { state: 'Where can I buy a second one?', instructions, right: false },
  ]),
  ...['Does the text mention a meeting and its date?', 'A meeting is being planned'].flatMap(
    (instructions) => [
      { state: 'The meeting is planned for Monday, the date is fixed.', instructions, right: true },
      { state: 'Let us move the meeting to another date.', instructions, right: true },
      { state: 'A meeting of the board: date and place follow.', instructions, right: true },
      { state: 'See you on Tuesday at noon in my office.', instructions, right: true },
      { state: 'The lasagne needs forty minutes in the oven.', instructions, right: false },
      { state: 'Prices of apples rose in spring.', instructions, right: false },
      { state: 'I have read the book that you gave me.', instructions, right: false },
      { state: 'Her plan is to travel around the world.', instructions, right: false },
    ],
  ),
  ...['Клиент спрашивает о доставке заказа'].flatMap((instructions) => [
    { state: 'Подскажите, когда будет доставка моего заказа?', instructions, right: true },
    { state: 'Заказ до сих пор не доставлен', instructions, right: true },
    { state: 'Где курьер?', instructions, right: true },
    { state: 'Как сменить пароль?', instructions, right: false },
    { state: 'Спасибо, всё отлично работает', instructions, right: false },
    { state: 'Верните деньги за прошлый месяц', instructions, right: false },
  ]),
  ...['The text is about weather', 'Is the weather bad today?'].flatMap((instructions) => [
    { state: 'The weather today is bad: rain and wind all day.', instructions, right: true },
    { state: 'Bad weather is coming, says the forecast.', instructions, right: true },
    { state: 'It rains cats and dogs.', instructions, right: true },
    { state: 'The parliament votes on the budget.', instructions, right: false },
    { state: 'My phone does not charge.', instructions, right: false },
    { state: 'A new bakery opened around the corner.', instructions, right: false },
  ]),
];
