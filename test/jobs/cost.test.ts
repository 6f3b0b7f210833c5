import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { testFolder } from '../helpers/folder.js';
import { run } from '../helpers/run.js';

// As when svc is updated during a run, and the files of the earlier version are gone.
vi.mock('../../src/texts/load.js', async (original) => ({
  ...(await original<object>()),
  textsIn: () => Promise.reject(new Error('the file of the texts is gone')),
}));

test('what is paid for ends as usual where the line of its cost cannot be made', async () => {
  const picture = join(testFolder(), 'a.png');
  for (const [line, stdout] of [
    [['chat', '-m', 'local/echo', 'hi'], 'hi\n'],
    [['image', 'create', '-m', 'local/canvas', '-o', picture, 'hi'], `${picture}\n`],
  ] as const)
    expect(await run(['--local', '--verbose', ...line])).toMatchObject({ code: 0, stdout });
});
