/** The page of results. */
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { testFolder } from '../../helpers/folder.js';
import { PollingClock } from '../../helpers/manual-clock.js';
import { run } from '../../helpers/run.js';

const prompt = `</p></script><script>document.title='x'</script> "a' <img src=y onerror=alert(1)> {{nonce}} & more`;

/** An account of the embedded service with an image and a speech, and their folder. */
async function scene() {
  const home = testFolder();
  const folder = testFolder();
  const at = (name: string) => join(folder, name);
  const clock = new PollingClock();
  const svc = (line: readonly string[]) =>
    run(['--local', ...line], { home, clock, tty: { stdin: true } });
  const gallery = (...more: string[]) => svc(['jobs', 'gallery', ...more]);
  const page = (name = 'g.html') => readFileSync(at(name), 'utf8');
  const make = async () => {
    const draft = ['image', 'create', prompt, '--quality', 'draft', '-o', at('a b#1.png')];
    expect(await svc(draft)).toMatchObject({ code: 0 });
    expect(await svc(['speak', 'hello', '-o', at('hi.wav')])).toMatchObject({ code: 0 });
  };
  return { at, home, folder, svc, gallery, page, make };
}

it('svc jobs gallery writes a page that needs nothing else, and replaces one only with --force', async () => {
  const { at, home, folder, gallery, page, make } = await scene();
  expect(await gallery('-o', at('g.html'))).toMatchObject({
    code: 2,
    stderr:
      'error: no results are saved yet\nhint: download some: `svc --local jobs download --all`\n',
  });
  await make();
  const written = await gallery('-o', at('g.html'));
  expect(written).toMatchObject({ code: 0, stdout: `${at('g.html')}\n`, stderr: '' });
  expect(page().match(/<[^<]* (?:src|href)="[^"]{1,16}/g)).toEqual([
    '<link rel="icon" href="data:,',
    '<audio src="data:audio/wav;b',
    '<a href="hi.wav',
    '<img src="data:image/png;b',
    '<a href="a%20b%231.png',
  ]);
  expect(page()).toContain(
    '<p class="prompt" dir="auto">&#60;/p&#62;&#60;/script&#62;&#60;script&#62;document',
  );
  expect(page()).toContain(
    ' &#34;a&#39; &#60;img src=y onerror=alert(1)&#62; {{nonce}} &#38; more</p>',
  );
  expect(page().match(/<script/g)).toHaveLength(1);
  expect(page()).toContain(
    'data-kind="image" data-state="done" data-model="local/canvas" data-rub="0.6"',
  );
  expect(page()).toMatch(/>0\.60 RUB<[^]*<time>\d{4}-\d\d-\d\d \d\d:\d\d</);
  expect(await gallery('-o', at('g.html'))).toMatchObject({
    code: 11,
    stderr: `error: ${at('g.html')} exists\nhint: choose another name, or use --force to replace it\n`,
  });
  const json = await gallery('-o', at('g.html'), '--force', '--json', '--limit', '1');
  expect(JSON.parse(json.stdout)).toEqual({ files: [{ path: at('g.html') }], jobs: 1 });
  expect((await gallery('-o', `${folder}/`)).stdout).toBe(`${at('gallery.html')}\n`);
  expect((await gallery('-o', '-')).stdout.match(/<article/g)).toHaveLength(2);
  // Those of other accounts are not shown.
  const env = { SVC_API_KEY: 'sk-other', SVC_BASE_URL: 'https://api.example.com' };
  expect(await run('jobs gallery -o -', { home, env })).toMatchObject({ code: 2, stdout: '' });
});

it('svc jobs gallery links to what is too large to embed, and says what is not found', async () => {
  const { at, gallery, page, make } = await scene();
  await make();
  truncateSync(at('hi.wav'), 31_000_000);
  rmSync(at('a b#1.png'));
  await gallery('-o', at('g.html'));
  expect(page()).toContain('<audio src="hi.wav" controls');
  expect(page()).toContain('data-state="missing"');
  expect(page()).toContain('<bdi>a b#1.png (not found)</bdi>');
});

it('svc jobs gallery replaces a gallery.html that it made, and no other', async () => {
  const { at, folder, gallery, page, make } = await scene();
  await make();
  const before = process.cwd();
  onTestFinished(() => process.chdir(before));
  process.chdir(folder);
  expect(await gallery('--limit', '1')).toMatchObject({
    code: 0,
    stdout: `${at('gallery.html')}\n`,
  });
  expect(await gallery()).toMatchObject({ code: 0 });
  expect(page('gallery.html').match(/<article/g)).toHaveLength(2);
  writeFileSync(at('gallery.html'), '<title>Mine</title>');
  expect(await gallery()).toMatchObject({ code: 11, stderr: expect.stringContaining('exists') });
  expect(page('gallery.html')).toBe('<title>Mine</title>');
});
