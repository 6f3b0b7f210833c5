// As many chats as are asked for, with the SDK of openai: its time is what svc is compared with.
import OpenAI from 'openai';

const [baseURL, count, atOnce] = process.argv.slice(2);
const client = new OpenAI({ baseURL, apiKey: 'sk-svc-bench', maxRetries: 0 });
let sent = 0;

async function chat() {
  while (sent < Number(count)) {
    const content = `Is lighthouse ${sent++} lit?`;
    const messages = [{ role: 'user', content }];
    await client.chat.completions.create({ model: 'vendor/model', messages });
  }
}

await Promise.all(Array.from({ length: Number(atOnce) }, chat));
