import { describe, expect, it } from 'vitest';
import { idOf, pricing, scene } from './scene.js';

const paid = {
  id: idOf(1),
  name: 'narrator',
  engine: 'extvoice',
  status: 'active',
  sample_seconds: 41.5,
  monthly_fee: { amount: 30, currency: 'RUB' },
  next_charge_at: '2026-03-01T00:00:00.000Z',
  deletion_at: null,
};
const unpaid = {
  id: idOf(2),
  name: 'guide',
  engine: 'premium',
  status: 'unpaid',
  monthly_fee: { amount: 2, currency: 'USD' },
  deletion_at: '2026-04-01T00:00:00.000Z',
};

describe('svc voices list', () => {
  it('gives a pipe one line a voice', async () => {
    const at = await scene(paid, unpaid);
    const { stdout } = await at.svc('list');
    expect(stdout.split('\n').map((line) => line.split('\t'))).toEqual([
      [
        idOf(1),
        'narrator',
        'extvoice',
        'active',
        '30.00 RUB',
        '2026-03-01T00:00:00.000Z',
        '',
        '41.5',
      ],
      [idOf(2), 'guide', 'premium', 'unpaid', '2 USD', '', '2026-04-01T00:00:00.000Z', ''],
      [''],
    ]);
  });

  it('shows a person the prices below', async () => {
    const at = await scene(paid);
    const { stdout } = await at.svc('list', { tty: true, columns: 200 });
    const [voices = '', prices = ''] = stdout.split('\n\n');
    expect(voices).toContain('narrator');
    expect(prices).toMatch(/creation +standard 50, premium 150\nstorage +ask\n/);
  });

  it('warns of unpaid voices, also when it is to be quiet', async () => {
    const at = await scene(paid, unpaid);
    const { code, stderr } = await at.svc('list -q');
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `warning: the voice guide (${idOf(2)}) is unpaid: its monthly fee is 2 USD; it will be deleted on 2026-04-01T00:00:00.000Z; see what is left: svc balance\n`,
    });
  });

  it('gives the reply as it came under --json', async () => {
    const at = await scene(paid);
    const { stdout, stderr } = await at.svc('list --json');
    expect(JSON.parse(stdout)).toEqual({ voices: [paid], pricing });
    expect(stderr).toBe('');
  });

  it('shows what it does not know as it came, harmless to a terminal', async () => {
    const at = await scene({ id: idOf(1), name: 'a\u001b[31mred\u0007', status: 'asleep' });
    const { stdout } = await at.svc('list', { tty: true, columns: 200 });
    expect(stdout).toContain('asleep');
    expect(stdout).not.toContain('\u001b[31m');
    expect(stdout).not.toContain('\u0007');
  });
});
