import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { chunks, chunksEnd, events, fakeService, json } from '../../helpers/fake-service.js';
import { testFolder } from '../../helpers/folder.js';
import { run } from '../../helpers/run.js';

const answer = events(chunks('done') + chunksEnd);

/** What is sent as tool_choice, one request after the other, to a service that takes what `takes` says. */
async function choices(takes: (choice: unknown) => boolean, refusal: unknown) {
  const sent: unknown[] = [];
  const service = await fakeService((seen, response) => {
    const { tool_choice: choice }: { tool_choice?: unknown } = JSON.parse(seen.body || '{}');
    if (seen.method === 'POST') sent.push(choice);
    (takes(choice) ? answer : json(refusal, 400))(seen, response);
  });
  const tools = join(testFolder(), 'tools.json');
  writeFileSync(tools, JSON.stringify([{ name: 'weather' }]));
  const line = ['chat', '-m', 'm', '--tools', tools, '--tool-choice', 'weather', 'hi'];
  const { code } = await run(line, { env: service.env });
  return { sent, code };
}

const object = { type: 'function', function: { name: 'weather' } };

it('a tool is named by a string, as the specification types it', async () => {
  expect(await choices(() => true, {})).toEqual({ sent: ['weather'], code: 0 });
});

it('a tool is named by an object where the service refuses the string', async () => {
  const refusals = [
    { error: { message: 'No', type: 'invalid_request_error', param: 'tool_choice' } },
    { ok: false, code: 'invalid', message: 'tool_choice must be an object' },
  ];
  for (const refusal of refusals) {
    const { sent, code } = await choices((choice) => typeof choice !== 'string', refusal);
    expect({ sent, code }).toEqual({ sent: ['weather', object], code: 0 });
  }
});

it('a refusal for anything else is no reason to try again, and there is one more try at most', async () => {
  const other = await choices(() => false, { error: { message: 'No model', code: 'x' } });
  expect(other).toEqual({ sent: ['weather'], code: 3 });
  const never = await choices(() => false, { error: { message: 'tool_choice: no', code: 'x' } });
  expect(never).toEqual({ sent: ['weather', object], code: 3 });
});
