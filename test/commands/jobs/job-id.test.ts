import { describe, expect, it } from 'vitest';
import { scene } from '../generate/scene.js';

/** Behind a good id, where several are taken. */
const lines = [
  ['jobs', 'show', '--'],
  ['jobs', 'wait', '--', 'job_0'],
  ['jobs', 'download', '--', 'job_0'],
  ['jobs', 'extend', '--tier', 'fast', '--'],
];

describe('the id of a job', () => {
  it.each([
    ['', 'the id of the job is empty'],
    ['job 1', '"job 1" is no id of a job: it holds a blank'],
    ['job_1\n', '"job_1" is no id of a job: it holds a character that cannot be seen'],
    ['job\u001b[31m', '"job [31m" is no id of a job: it holds a character that cannot be seen'],
    ['a/b', '"a/b" is no id of a job: it holds a slash'],
    ['https://svc.test/api/media/jobs/job_1', 'is no id of a job: it holds a slash'],
    ['j'.repeat(1025), 'is too long for the id of a job'],
  ])('is not %j, whatever is to be done with it', async (id, message) => {
    const at = await scene();
    for (const line of lines) {
      const result = await at.svc([...line, id]);
      expect(result).toMatchObject({ code: 2, stdout: '' });
      expect(result.stderr).toContain(message);
    }
    expect(at.requests).toEqual([]);
  });

  it.each(['j', '17', 'a:b', 'ünïque', 'job_%2F?#&=+~', '-x', '...', 'j'.repeat(1024)])(
    'may be %s',
    async (id) => {
      const at = await scene();
      expect(await at.svc(['jobs', 'show', '--', id])).toMatchObject({ code: 3 });
      expect(at.calls()).toEqual([`GET /api/media/jobs/${encodeURIComponent(id)}`]);
    },
  );

  it('is whatever the service gave', async () => {
    const at = await scene();
    at.media.instead = ({ url }) => {
      if (url.endsWith('/generate')) return { status: 202, json: { jobId: 'jobs/7 x' } };
      return url.includes('/jobs/') ? { json: { status: 'processing' } } : undefined;
    };
    expect(await at.svc('generate vendor/canvas a --no-wait -q')).toMatchObject({ code: 0 });
    expect(await at.svc(['jobs', 'show', 'jobs/7 x'])).toMatchObject({ code: 0 });
    expect(at.calls().at(-1)).toBe('GET /api/media/jobs/jobs%2F7%20x');
  });
});
