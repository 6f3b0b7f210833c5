/** No call of a tool runs twice, whatever ended the earlier run. */
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { StateDatabase } from '../../src/state/database.js';
import { pathsFrom } from '../../src/state/paths.js';
import { startedCalls } from '../../src/state/tool-calls.js';
import { answers, calls, time, twoTools, weather } from '../commands/chat/two-tools.js';

test('two runs that continue one conversation run no call twice', async () => {
  const { ask, ran, svc } = twoTools(undefined, {
    weather: 'for i in $(seq 900); do [ -e RAN.go ] && break; sleep 0.01; done',
  });
  await ask('');
  const first = svc('-c --approve always');
  await expect.poll(() => ran().length, { timeout: 10_000, interval: 5 }).toBe(2);
  const { code, stderr } = await svc('-c --approve always');
  expect({ code, stderr }).toEqual({
    code: 11,
    stderr:
      'to continue: svc --local chat --conversation c1\n' +
      'error: another svc is continuing this conversation\n' +
      'hint: wait for it, or stop it, then: svc --local chat -c\n',
  });
  writeFileSync(`${ran.file}.go`, '');
  expect(await first).toMatchObject({ code: 0, stdout: 'Rain at noon.\n' });
  expect(ran()).toEqual(['time Rome', 'weather Oslo']);
});

test('calls of a process that cannot be seen are not run again, and do not lock the conversation', async () => {
  const { ask, home, ran, svc } = twoTools();
  await ask('');
  const paths = pathsFrom({ SVC_CONFIG_DIR: home });
  const started = await startedCalls(paths, 1, 1);
  started.start([0]);
  const unseen = { id: 'x', pid: 1, host: 'container', boot: 'other', machine: 'other' };
  new StateDatabase(paths).run('UPDATE tool_calls SET owner = ?', JSON.stringify(unseen));
  expect(await svc('-c --approve always')).toMatchObject({ code: 0, stdout: 'Rain at noon.\n' });
  expect(ran()).toEqual(['time Rome']);
});

test('no call runs twice when svc was ended: the model reads what came, and what may have run', async () => {
  const twice = [weather, time, { ...weather, arguments: { city: 'Bergen' } }];
  const { ask, home, ran, svc } = twoTools([{ ...calls, toolCalls: twice }, answers]);
  await ask('');
  const started = await startedCalls(pathsFrom({ SVC_CONFIG_DIR: home }), 1, 1);
  started.start([0, 1]);
  started.keep(1, { text: 'noon', isError: false });
  started.release();
  const { code, stdout } = await svc('-c --approve always --events');
  expect(code).toBe(0);
  const texts = Array.from(stdout.matchAll(/"tool_result".*?"text":"(.*?)"/g), ([, text]) => text);
  expect(texts).toEqual([
    'This call was started before, and svc was ended before its result came: it may have run.',
    'noon',
    'rain',
  ]);
  expect(ran()).toEqual(['weather Bergen']);
});
