/** The action of this repository and the lines for other CI systems, run against the embedded service. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
import { parseAction } from '@actions/workflow-parser/actions/action-parser';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod/mini';
import { installed, shareCompiledCode } from '../bin/package.js';
import { bash as runBash } from '../bin/svc.js';
import { testFolder } from '../helpers/folder.js';
import { front } from '../helpers/front.js';
import { root } from './pages.js';

const content = readFileSync(join(root, 'action.yml'), 'utf8');
const Action = z.object({
  inputs: z.record(z.string(), z.looseObject({})),
  runs: z.object({ steps: z.array(z.looseObject({ run: z.optional(z.string()) })) }),
});
const action = Action.parse(parse(content));
const manual = readFileSync(join(root, 'docs/manual/4-scripts.md'), 'utf8');
const [uses, gitlab] = Array.from(manual.matchAll(/```yaml\n([^]*?)```/g), ([, yaml = '']) => yaml);

/** A folder with svc, an npm that does nothing, and a log; what runs bash in it. */
async function job(more: Readonly<Record<string, string>> = {}) {
  const service = await front();
  const folder = testFolder();
  mkdirSync(join(folder, 'bin'));
  symlinkSync(join(await installed(), 'bin/svc.cjs'), join(folder, 'bin/svc'));
  writeFileSync(join(folder, 'bin/npm'), '#!/bin/sh\necho "npm $*"\n', { mode: 0o755 });
  writeFileSync(join(folder, 'build.log'), 'out of memory');
  await shareCompiledCode(join(folder, 'home'));
  const env = {
    PATH: `${folder}/bin:${process.env['PATH'] ?? ''}`,
    SVC_CONFIG_DIR: join(folder, 'home'),
    ...service.env,
    SVC_MODEL: 'local/echo',
    ...more,
  };
  const bash = (script: string) => runBash(`set -eo pipefail\n${script}`, { cwd: folder, env });
  return { folder, bash };
}

test('GitHub accepts the action, and the manual gives it only inputs that it has', () => {
  const parsed = parseAction({ name: 'action.yml', content }, new NoOperationTraceWriter());
  expect(parsed.context.errors.getErrors()).toEqual([]);
  const Step = z.tuple([z.object({ with: z.record(z.string(), z.string()) })]);
  const [step] = Step.parse(parse(uses ?? ''));
  expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(step.with)));
  // An input that became a part of a script could change it.
  const scripts = action.runs.steps.flatMap(({ run }) => run ?? []);
  expect(scripts.map((script) => script.includes('${{'))).toEqual([false, false]);
});

test('GitHub accepts the forms of issues, and that of a bug asks for what svc says of itself', () => {
  const folder = join(root, '.github/ISSUE_TEMPLATE');
  const Field = z.strictObject({
    type: z.enum(['markdown', 'textarea', 'input', 'checkboxes']),
    id: z.optional(z.string()),
    attributes: z.looseObject({ label: z.optional(z.string()), value: z.optional(z.string()) }),
    validations: z.optional(z.strictObject({ required: z.boolean() })),
  });
  const [name, description] = [z.string(), z.string()];
  const Form = z.strictObject({
    name,
    description,
    labels: z.array(z.string()),
    body: z.array(Field),
  });
  for (const form of ['bug', 'feature']) {
    const { body } = Form.parse(parse(readFileSync(join(folder, `${form}.yml`), 'utf8')));
    const ids = body.flatMap(({ type, id }) => (type === 'markdown' ? [] : [id]));
    expect(new Set(ids).size).toBe(ids.length);
    const asked = body.flatMap(({ attributes }) => attributes.label ?? []).join('\n');
    expect(asked.match(/`svc \w+/g) ?? []).toEqual(
      form === 'bug' ? ['`svc version', '`svc doctor'] : [],
    );
  }
});

test.each(['ci', 'release'])('GitHub accepts the workflow %s, whose scripts there are', (which) => {
  const name = `.github/workflows/${which}.yml`;
  const content = readFileSync(join(root, name), 'utf8');
  const { context } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
  expect(context.errors.getErrors()).toEqual([]);
  const Package = z.object({ scripts: z.record(z.string(), z.string()) });
  const { scripts } = Package.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
  const named = Array.from(content.matchAll(/npm run (\S+)/g), ([, script]) => script);
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named));
  expect(content).not.toMatch(/run: .*\$\{\{/);
});

const Job = z.looseObject({
  if: z.optional(z.string()),
  permissions: z.optional(z.record(z.string(), z.string())),
  steps: z.array(z.looseObject({ uses: z.optional(z.string()) })),
});
const Workflow = z.looseObject({
  permissions: z.record(z.string(), z.string()),
  concurrency: z.looseObject({ group: z.string() }),
  jobs: z.record(z.string(), Job),
});

test('actions are pinned to one commit each, and workflows may write nothing that they need not', () => {
  const texts = ['ci', 'release'].map((name) =>
    readFileSync(join(root, `.github/workflows/${name}.yml`), 'utf8'),
  );
  const used = texts.join('').match(/uses: .*/g) ?? [];
  for (const line of used) {
    expect(line).toMatch(/^uses: actions\/[\w-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/);
  }
  const pins = new Set(used);
  expect(pins.size).toBe(new Set(Array.from(pins, (line) => line.split('@')[0])).size);
  // An action that changed the Node of the job would change what comes after it.
  expect(content).not.toMatch(/uses: .*@/);
  for (const text of texts) {
    const { permissions, jobs } = Workflow.parse(parse(text));
    expect(Object.values(permissions)).not.toContain('write');
    for (const [name, { if: condition, permissions: own = {} }] of Object.entries(jobs)) {
      // Off, as long as package.json names no repository.
      const isSigned = own['id-token'] === 'write';
      expect(condition).toBe(isSigned ? "needs.build.outputs.repository == 'true'" : undefined);
      expect(own['contents'] === 'write').toBe(name === 'draft');
    }
  }
});

test.each([
  ['svc chat --no-input "What failed?" < build.log', {}, 0, 'success'],
  ['svc chat --no-input x < build.log | cat', { SVC_BUDGET: '0' }, 5, 'balance too low'],
  ['svc chat --colour', {}, 2, 'usage error'],
  ['svc balance', { SVC_BASE_URL: 'http://127.0.0.1:1' }, 6, 'service not reached'],
])('the action runs %s', async (line, env, code, meaning) => {
  const files = { GITHUB_OUTPUT: 'o', GITHUB_STEP_SUMMARY: 's' };
  const { bash, folder } = await job({ LINE: line, ...files, ...env });
  const ended = await bash(action.runs.steps.at(-1)?.run ?? '');
  expect(ended.code).toBe(code);
  expect(ended.stdout).toContain(code === 0 ? 'out of memory' : '');
  expect(readFileSync(join(folder, 'o'), 'utf8')).toBe(`exit-code=${code}\n`);
  const summary = readFileSync(join(folder, 's'), 'utf8');
  expect(summary).toMatch(new RegExp(`^svc: exit code ${code}\\n +${code} +${meaning}`));
});

test.each([
  [{}, 0, 'out of memory'],
  [{ SVC_BUDGET: '0' }, 0, 'too expensive'],
  [{ SVC_BASE_URL: 'http://127.0.0.1:1' }, 75, ''],
  [{ SVC_API_KEY: 'sk-svc-wrong' }, 1, ''],
])('the two lines for other CI systems with %j end with %i', async (env, code, words) => {
  const Jobs = z.object({ explain: z.object({ script: z.array(z.string()) }) });
  const { script } = Jobs.parse(parse(gitlab ?? '')).explain;
  expect(script).toHaveLength(2);
  const { bash } = await job(env);
  const ended = await bash(script.join('\n'));
  expect(ended.code).toBe(code);
  expect(ended.stdout).toContain('npm install --global ./svc\n');
  expect(ended.stdout).toContain(words);
});
