import { describe, expect, test } from 'vitest';
import { keptLine } from '../../src/cli/last-failure.js';
import { words } from '../helpers/run.js';

describe('of a command line is kept', () => {
  test.each([
    ['chat -m vendor/model "tell me"', 'svc chat -m vendor/model …'],
    ['chat one two three', 'svc chat …'],
    [
      '--local chat hi --temperature 0.5 --no-stream',
      'svc chat --local … --temperature 0.5 --no-stream',
    ],
    ['chat -mvendor/model -qv hi', 'svc chat -m vendor/model -q -v …'],
    [
      'chat --model=vendor/model --system="be nice" hi',
      'svc chat --model vendor/model --system … …',
    ],
    ['chat -s "be nice" -a /home/me/secret.png hi', 'svc chat -s … -a … …'],
    ['chat -m "my secret words" hi', 'svc chat -m … …'],
    ['chat -m sk-svc-0123456789 hi', 'svc chat -m … …'],
    ['chat --format messages hi', 'svc chat --format messages …'],
    ['chat --format nonsense hi', 'svc chat --format … …'],
    ['chat --max-tokens twelve hi', 'svc chat --max-tokens … …'],
    ['chat --timeout 30s -- --my-prompt', 'svc chat --timeout 30s …'],
    ['chat --timeout', 'svc chat --timeout'],
    ['chat --sk-svc-0123456789 hi', 'svc chat …'],
    ['chat -Z hi', 'svc chat …'],
    [
      '--base-url https://me:pass@host.test --profile work balance',
      'svc balance --base-url … --profile …',
    ],
    ['api POST /v1/x -f name=value -H "authorization: Bearer abc"', 'svc api … -f … -H …'],
    ['jobs show job_1', 'svc jobs show …'],
    ['jobs', 'svc jobs'],
    ['chat jobs chat', 'svc chat …'],
    ['nonsense words', 'svc …'],
    ['', 'svc'],
  ])('%j as %j', (line, expected) => {
    expect(keptLine(words(line)).text).toBe(expected);
  });

  test('nothing that is left out, and that is told', () => {
    const line = words('chat -m vendor/model -s "be nice" --max-tokens 5 "the prompt" --oops');
    expect(keptLine(line).omitted).toEqual(['be nice', 'the prompt', '--oops']);
  });
});
