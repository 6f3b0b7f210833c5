import { describe, expect, it } from 'vitest';
import { textWidth } from '../../../src/lib/wrap.js';
import { drop, opened, scene, type FakeTicket } from './scene.js';

function ticketsUpTo(count: number): FakeTicket[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `ticket_${String(index + 1)}`,
    status: index % 2 === 0 ? 'open' : 'closed',
    subject: index === 0 ? '漢字'.repeat(40) : `Report ${String(index + 1)}`,
    messages: [],
  }));
}

describe('svc tickets list', () => {
  it('gives a pipe a line for each ticket, newest first', async () => {
    const at = await scene(...ticketsUpTo(2));
    const result = await at.svc('list');
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.stdout).toBe(
      `ticket_2\tclosed\t${opened}\tgeneral\tReport 2\nticket_1\topen\t${opened}\tgeneral\t${'漢字'.repeat(40)}\n`,
    );
    expect(at.calls()).toEqual(['GET /v1/tickets']);
  });

  it('draws a table on a terminal that fits its width', async () => {
    const at = await scene(...ticketsUpTo(2));
    const result = await at.svc('list', { tty: true, columns: 60 });
    expect(result.stdout).toBe(
      [
        'ID        STATUS  CHANGED  CATEGORY  SUBJECT',
        'ticket_2  closed  1 h      general   Report 2',
        'ticket_1  open    1 h      general   漢字漢字漢字漢字漢字漢…',
        '',
      ].join('\n'),
    );
    expect(result.stdout.split('\n').every((line) => textWidth(line) <= 60)).toBe(true);
  });

  it('asks for what the flags say, and tells that there is more', async () => {
    const at = await scene(...ticketsUpTo(6));
    const result = await at.svc('list --status open --limit 2');
    expect(result.stdout.match(/^ticket_\d/gm)).toEqual(['ticket_5', 'ticket_3']);
    expect(result.stderr).toBe('there are more: svc tickets list --all\n');
    expect(at.calls()).toEqual(['GET /v1/tickets?status=open&limit=2']);
  });

  it('goes on from a cursor, for a page or to the end', async () => {
    const at = await scene(...ticketsUpTo(4));
    const { nextCursor } = JSON.parse((await at.svc('list --limit 2 --json')).stdout);
    const page = await at.svc(['list', '--limit', '1', '--after', nextCursor]);
    expect(page.stdout).toMatch(/^ticket_2\t/);
    const rest = await at.svc(['list', '--all', '--after', nextCursor]);
    expect(rest.stdout.match(/^ticket_\d/gm)).toEqual(['ticket_2', 'ticket_1']);
    expect(at.calls().at(-1)).toBe(`GET /v1/tickets?limit=100&after=${nextCursor}`);
  });

  it('gives one page as it came under --json', async () => {
    const at = await scene(...ticketsUpTo(3));
    const result = await at.svc('list --limit 2 --json');
    expect(result.stderr).toBe('');
    expect(JSON.parse(result.stdout)).toMatchObject({
      object: 'list',
      data: [{ id: 'ticket_3' }, { id: 'ticket_2' }],
      hasMore: true,
      nextCursor: 'ticket_2',
    });
  });

  it('follows every cursor with --all, a page at a time', async () => {
    const at = await scene(...ticketsUpTo(250));
    const seen: number[] = [];
    const result = await at.svc('list --all', { onStdout: () => seen.push(at.requests.length) });
    expect(result.stdout.trimEnd().split('\n')).toHaveLength(250);
    expect(at.calls()).toEqual([
      'GET /v1/tickets?limit=100',
      'GET /v1/tickets?limit=100&after=ticket_151',
      'GET /v1/tickets?limit=100&after=ticket_51',
    ]);
    // The first are shown before the second page is asked for.
    expect(seen[0]).toBe(1);
  });

  it.each([[0], [1], [7]])(
    'writes %i tickets as one JSON object with --all --json',
    async (count) => {
      const at = await scene(...ticketsUpTo(count));
      const result = await at.svc('list --all --limit 3 --json');
      expect(result).toMatchObject({ code: 0, stderr: '' });
      const ids = Array.from({ length: count }, (_, index) => ({ id: `ticket_${count - index}` }));
      expect(JSON.parse(result.stdout)).toMatchObject({
        object: 'list',
        data: ids,
        hasMore: false,
        nextCursor: null,
        complete: true,
      });
    },
  );

  it('says when there is none', async () => {
    const at = await scene();
    expect(await at.svc('list')).toMatchObject({ code: 0, stdout: '', stderr: 'no tickets\n' });
  });

  it('keeps what was given when a later page does not come, and says so', async () => {
    const at = await scene(...ticketsUpTo(5));
    at.instead = ({ url }, response) => url.includes('after') && drop(response);
    const result = await at.svc('list --all --limit 2');
    expect(result.code).toBe(12);
    expect(result.stdout.trimEnd().split('\n')).toHaveLength(2);
    expect(result.stderr).toMatch(/^error: .*; 2 tickets were given\nhint: run it again\n$/);
    const asJson = await at.svc('list --all --limit 2 --json');
    expect(asJson.code).toBe(12);
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      data: [{ id: 'ticket_5' }, { id: 'ticket_4' }],
      complete: false,
    });
  });
});
