import { expect, test } from 'vitest';
import { eventChannel } from '../../../src/commands/chat/show.js';
import { attacks, liveIn, stage } from '../../terminal/screens.js';

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
