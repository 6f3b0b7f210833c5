/** A receiver of notifications on this machine. */
import { fakeService } from '../helpers/fake-service.js';

export type Receiver = Awaited<ReturnType<typeof receiver>>;

/** `answers` are the statuses it answers with next; 200 once there is none. */
export async function receiver() {
  const received: { headers: Record<string, string>; body: string; path: string }[] = [];
  const answers: number[] = [];
  let wake: () => void = () => undefined;
  const { origin } = await fakeService(({ headers, body, url }, response) => {
    const single = Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value] as const] : [],
    );
    received.push({ headers: Object.fromEntries(single), body, path: url });
    const status = answers.shift() ?? 200;
    response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end('thanks');
    wake();
  });
  /** Resolves when this many have come. */
  const count = async (wanted: number) => {
    while (received.length < wanted) await new Promise<void>((resolve) => (wake = resolve));
  };
  return { url: `${origin}/hook`, received, answers, count };
}
