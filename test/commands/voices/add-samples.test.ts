import { describe, expect, it } from 'vitest';
import { idOf, scene, wav } from './scene.js';

const growing = { id: idOf(1), name: 'narrator', engine: 'extvoice', sample_seconds: 290 };

describe('svc voices add-samples', () => {
  it('sends the recordings to the voice that the name means', async () => {
    const at = await scene(growing);
    const recording = wav({ seconds: 10 });
    const path = at.file('a.wav', recording);
    const result = await at.svc(['add-samples', 'narrator', path, '--remove-background-noise']);
    expect(result).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'narrator: added 1, it has 4 recordings now of 290 s\n',
    });
    expect(at.calls()).toEqual([
      'GET /api/media/voices',
      `POST /api/media/voices/${idOf(1)}/samples`,
    ]);
    expect(at.posted()).toEqual([
      {
        samples: [{ audio_base64: recording.toString('base64') }],
        remove_background_noise: true,
      },
    ]);
  });

  it('refuses what would be more than 300 s with what the voice has', async () => {
    const at = await scene(growing);
    const path = at.file('a.wav', wav({ seconds: 11 }));
    const result = await at.svc(['add-samples', 'narrator', path]);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain('"narrator" would have 301 s of recordings');
    expect(at.posted()).toEqual([]);
  });

  it('says where to look when the answer gets lost, and sends nothing again', async () => {
    const at = await scene(growing);
    at.instead = ({ method }, response) => {
      if (method === 'POST') response.socket?.destroy();
      return method === 'POST';
    };
    const result = await at.svc(['add-samples', 'narrator', at.file('a.wav', wav())]);
    expect(result.code).toBe(10);
    expect(result.stderr).toContain('svc voices list');
    expect(at.posted()).toHaveLength(1);
  });

  it('gives the reply as it came under --json', async () => {
    const at = await scene(growing);
    const path = at.file('a.wav', wav());
    const result = await at.svc(['add-samples', 'narrator', path, '--json']);
    expect(JSON.parse(result.stdout)).toMatchObject({ samples_added: 1, sample_count: 4 });
  });
});
