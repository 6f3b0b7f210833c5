import { describe, expect, test } from 'vitest';
import {
  eventChannel,
  reasoningChannel,
  tee,
  textChannel,
} from '../../../src/commands/chat/show.js';
import { FirstCodeBlock } from '../../../src/lib/code-block.js';
import { attacks, liveIn, stage } from '../../terminal/screens.js';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('reasoning and text', () => {
  function together() {
    const { out, stdout } = stage({ shared: true, env: { NO_COLOR: '1' } });
    const text = textChannel((piece) => out.text(piece), undefined);
    const reasoning = reasoningChannel(out, text);
    // In the order of the show: reasoning first.
    return { stdout, text, reasoning, listener: tee([reasoning.listener, text.listener]) };
  }

  test('reach the screen in their order, though they come in one piece', async () => {
    const { stdout, text, reasoning, listener } = together();
    listener.reasoning('Hm');
    listener.reasoning('.');
    listener.text('Y');
    listener.text('es');
    listener.reasoning('Wait.');
    listener.text('No.');
    await reasoning.flush();
    await text.flush();
    expect(stdout.text).toBe('Hm.\nYes\nWait.\nNo.');
  });

  test('reach the screen in their order, coming one by one', async () => {
    const { stdout, listener } = together();
    for (const [kind, piece] of [
      ['text', 'A'],
      ['reasoning', 'B'],
      ['text', 'C'],
    ] as const) {
      listener[kind](piece);
      await turn();
    }
    expect(stdout.text).toBe('A\nB\nC');
  });
});

test('a text channel knows what its text ends with, blocks and empty pieces aside', async () => {
  const { out, stdout } = stage({ tty: false });
  const plain = textChannel((piece) => out.text(piece), undefined);
  expect(plain.lastCharacter).toBe('');
  plain.listener.text?.('ab\n');
  plain.listener.text?.('');
  expect(plain.lastCharacter).toBe('\n');
  const block = textChannel((piece) => out.text(piece), new FirstCodeBlock());
  block.listener.text?.('words\n```\nco');
  block.listener.text?.('de');
  expect(block.lastCharacter).toBe('');
  await block.flush();
  expect(block.lastCharacter).toBe('e');
  expect(stdout.text).toBe('code');
});

test.each(attacks)(
  'an event that holds %s is the same value on a terminal, and harmless',
  async (_, text) => {
    for (const tty of [true, false]) {
      const { out, stdout } = stage({ tty });
      const channel = eventChannel(out);
      channel.listener.text?.(text);
      channel.listener.reasoning?.(text);
      await channel.done({ text });
      const lines = stdout.text.trimEnd().split('\n');
      expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
        { type: 'text', text },
        { type: 'reasoning', text },
        { type: 'done', text },
      ]);
      if (tty) expect(liveIn(stdout.text)).toEqual([]);
    }
  },
);
