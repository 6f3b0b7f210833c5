import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { inForm } from '../../../src/service/engines/answers.js';
import { openService, post } from '../helpers.js';

const schema = {
  type: 'object',
  properties: {
    answer: { type: 'string' },
    score: { type: 'number', minimum: 0, maximum: 1 },
    source: { enum: ['manual', 'none'] },
  },
  required: ['answer', 'score', 'source'],
  additionalProperties: false,
};

const Chat = z.looseObject({
  choices: z.tuple([z.looseObject({ message: z.looseObject({ content: z.string() }) })]),
});

describe('inForm', () => {
  it('leaves text as it is', async () => {
    expect(await inForm({ form: 'text' }, ' {"a" ', {})).toBe(' {"a" ');
  });

  it('leaves JSON that has the form already as it is, spaces and all', async () => {
    expect(await inForm({ form: 'json' }, ' { "a": 1 }', {})).toBe(' { "a": 1 }');
    const fitting = '{"answer": "x", "score": 0.5,\n"source": "none"}';
    expect(await inForm({ form: 'schema', schema }, fitting, {})).toBe(fitting);
  });

  it('makes an object of what is none', async () => {
    expect(await inForm({ form: 'json' }, '[1]', { echo: '[1]' })).toBe('{"echo":"[1]"}');
  });

  it('makes a value of the schema that carries the text', async () => {
    const made = await inForm({ form: 'schema', schema }, '{"answer": 3}', {});
    expect(JSON.parse(made)).toEqual({ answer: '{"answer": 3}', score: 0, source: 'manual' });
  });

  it('says which field asks for too much', async () => {
    const form = { form: 'schema' as const, schema: { $ref: '#/nowhere' } };
    await expect(inForm(form, 'x', {})).rejects.toMatchObject({
      status: 400,
      details: { param: 'response_format' },
    });
  });
});

describe.each(['local/guide', 'local/echo'])('the answers of %s', (model) => {
  const validate = new Ajv2020().compile(schema);

  it('fit a schema in the chat format', async () => {
    const body = {
      model,
      messages: [{ role: 'user', content: 'show my balance' }],
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema, strict: true } },
    };
    const reply = await (await post(openService(), '/v1/chat/completions', body)).json();
    const content: unknown = JSON.parse(Chat.parse(reply).choices[0].message.content);
    expect(validate(content), JSON.stringify(validate.errors)).toBe(true);
    expect(content).toMatchObject({ answer: expect.stringContaining('balance') });
  });

  it('fit a schema in the other formats', async () => {
    const service = openService();
    const responses = await post(service, '/v1/responses', {
      model,
      input: 'show my balance',
      text: { format: { type: 'json_schema', name: 'x', schema } },
    });
    const Output = z.object({
      output: z.tuple([z.object({ content: z.tuple([z.object({ text: z.string() })]) })]),
    });
    expect(
      validate(JSON.parse(Output.parse(await responses.json()).output[0].content[0].text)),
    ).toBe(true);
    const messages = await post(service, '/v1/messages', {
      model,
      max_tokens: 5000,
      messages: [{ role: 'user', content: 'show my balance' }],
      output_config: { format: { type: 'json_schema', schema } },
    });
    const Message = z.object({ content: z.tuple([z.object({ text: z.string() })]) });
    expect(validate(JSON.parse(Message.parse(await messages.json()).content[0].text))).toBe(true);
  });
});
