// Loaded into each svc that is played: time and randomness are the same in every run. The clock
// advances when a timeout ends, but for the shortest: they may end before an answer or after it.
'use strict';
const crypto = require('node:crypto');

const RealDate = Date;
let now = RealDate.parse(process.env.SCREENS_NOW);
globalThis.Date = class Date extends RealDate {
  constructor(...given) {
    if (given.length > 0) super(...given);
    else super(now);
  }
  static now() {
    return now;
  }
};

const startedAt = now;
performance.now = () => now - startedAt;

// What svc waits for, such as the next look at a job, comes sooner. Time limits, which it does not
// wait for (unref) or sets when it is interrupted, keep their length: the machine may be busy.
let isInterrupted = false;
const { emit } = process;
process.emit = (name, ...given) => {
  if (name === 'SIGINT') isInterrupted = true;
  return emit.call(process, name, ...given);
};
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis;
const stopped = new WeakSet();
globalThis.clearTimeout = (timer) => {
  if (timer) stopped.add(timer);
  stopTimer(timer);
};
globalThis.setTimeout = (run, ms = 1, ...given) => {
  const due = now + ms;
  const fire = () => {
    if (ms > 50) now = Math.max(now, due);
    run(...given);
  };
  const timer = startTimer(fire, ms);
  const fireSooner = () => {
    if (stopped.has(timer) || !timer.hasRef()) return;
    stopTimer(timer);
    fire();
  };
  const isLong = ms >= 500 && ms <= 30_000;
  if (isLong && !isInterrupted) startTimer(fireSooner, 100 + ms / 20).unref();
  return timer;
};

// Each command of a screen has a seed of its own, so that no id comes twice.
let state = Number(process.env.SCREENS_SEED);
const random = () => {
  state = (state * 1664525 + 1013904223) % 2 ** 32;
  return state / 2 ** 32;
};
Math.random = random;
crypto.randomBytes = (size) => Buffer.from(Array.from({ length: size }, () => random() * 256));
crypto.randomUUID = () => {
  const hex = crypto.randomBytes(16).toString('hex');
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-a$4-$5');
};
