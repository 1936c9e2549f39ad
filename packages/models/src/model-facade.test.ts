import { expect, test } from 'vitest';
import { WEB } from '@data-designer/core';
import { CannedGateway, openFacade, outcome, said, callContextOf } from '../test/canned-gateway.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUg==';

test('each text gets one vector, and no texts send no request', async () => {
  const usage = { prompt_tokens: 4, total_tokens: 4 };
  const gateway = new CannedGateway(outcome({ data: [{ embedding: [1, 2] }, { embedding: [3, 4] }], usage }));
  const facade = openFacade(gateway, { generationType: 'embedding', parameters: { encoding_format: 'float' } });
  expect(await facade.embed({ modelAlias: 'writer', texts: [] }, callContextOf())).toEqual([]);
  expect(await facade.embed({ modelAlias: 'writer', texts: ['a', 'b'] }, callContextOf())).toEqual([
    [1, 2],
    [3, 4],
  ]);
  expect(gateway.calls).toHaveLength(1);
  expect(gateway.bodies[0]).toEqual({ model: 'm-1', input: ['a', 'b'], encoding_format: 'float' });
  expect(facade.usage).toMatchObject({ requests: 1, inputTokens: 4, unmeasuredAnswers: 0 });
});

test.each([
  ['dall-e-3', 'images/generations'],
  ['stabilityai/Stable-Diffusion-XL', 'images/generations'],
  ['sd_turbo', 'images/generations'],
  ['google/imagen-4', 'images/generations'],
  ['gpt-image-1', 'images/generations'],
  ['gpt-5-image', 'chat/completions'],
  ['gemini-flash', 'chat/completions'],
])('the model %s generates images through %s', async (model, path) => {
  const gateway = new CannedGateway(outcome({ data: [{ b64_json: PNG }], choices: [{ message: { content: PNG } }] }));
  const pictures = await openFacade(gateway, { model }).generateImage(
    { modelAlias: 'writer', prompt: () => 'A cat' },
    callContextOf(),
  );
  expect(gateway.calls[0]?.path).toBe(path);
  expect(pictures).toEqual([{ mediaType: 'image/png', base64: PNG }]);
});

test('an image URL in an answer is fetched through the gateway under its own call number', async () => {
  const data = [{ url: 'https://a.example/1' }, { url: 'https://a.example/2' }];
  const file = { status: 200, headers: { 'content-type': 'image/svg+xml; charset=x' }, body: 'PHN2Zz4=' };
  const gateway = new CannedGateway(outcome({ data }), outcome(PNG), file);
  const facade = openFacade(gateway, { model: 'dall-e-3' });
  const pictures = await facade.generateImage({ modelAlias: 'writer', prompt: () => 'A cat' }, callContextOf());
  expect(pictures).toEqual([
    { mediaType: 'image/png', base64: PNG },
    { mediaType: 'image/svg+xml', base64: 'PHN2Zz4=' },
  ]);
  expect(gateway.calls.slice(1)).toMatchObject([
    { resource: WEB, path: 'download', call: 1 },
    { resource: WEB, path: 'download', call: 2 },
  ]);
  expect(gateway.bodies[1]).toMatchObject({ url: 'https://a.example/1', maxBytes: expect.any(Number) as number });
  expect(facade.usage).toMatchObject({ requests: 1, pictures: 2 });
});

test.each([
  [{ status: 404, headers: {}, body: 'gone' }, /cannot be fetched \(status 404: gone\)/],
  [{ status: 200, headers: { 'content-type': 'text/html' }, body: 'PGh0bWw+' }, /its address returned text\/html/],
])('an image that cannot be fetched is an error with the reason: %j', async (file, reason) => {
  const gateway = new CannedGateway(outcome({ data: [{ url: 'https://a.example/1' }] }), file);
  const asked = openFacade(gateway, { model: 'dall-e-3' }).generateImage(
    { modelAlias: 'writer', prompt: () => 'A cat' },
    callContextOf(),
  );
  await expect(asked).rejects.toThrow(reason);
});

test.each([
  ['dall-e-3', { size: 'small', n: 2 }],
  ['gemini-flash', { size: 'small' }],
])('a request to %s asks for several images only if its route supports that', async (model, parameters) => {
  const gateway = new CannedGateway(outcome({ data: [{ b64_json: PNG }], choices: [{ message: { content: PNG } }] }));
  const facade = openFacade(gateway, { model, parameters: { size: 'small', n: 2 } });
  await facade.generateImage({ modelAlias: 'writer', prompt: () => 'A cat' }, callContextOf());
  const { model: _, prompt: __, messages: ___, ...sent } = gateway.bodies[0] ?? {};
  expect(sent).toEqual(parameters);
});

test('unusable images are counted in usage', async () => {
  const facade = openFacade(new CannedGateway(outcome({ data: [{ b64_json: 'AAAA' }, { b64_json: 'AAAA' }] })), {
    model: 'dall-e-3',
  });
  await expect(facade.generateImage({ modelAlias: 'writer', prompt: () => 'A cat' }, callContextOf())).rejects.toThrow(
    /no image/,
  );
  expect(facade.usage).toMatchObject({ requests: 1, failedRequests: 1, pictures: 2, unmeasuredAnswers: 0 });
});

test('unusable vectors are counted in usage', async () => {
  const facade = openFacade(new CannedGateway(outcome({ data: [], usage: { prompt_tokens: 4 } })));
  await expect(facade.embed({ modelAlias: 'writer', texts: ['a'] }, callContextOf())).rejects.toThrow(
    /0 vectors for 1 texts/,
  );
  expect(facade.usage).toMatchObject({ requests: 1, failedRequests: 1, inputTokens: 4 });
});

test('an answer without an image is an error, and its tokens are counted', async () => {
  const facade = openFacade(new CannedGateway(said('I cannot draw.')));
  await expect(
    facade.generateImage({ modelAlias: 'writer', prompt: () => 'A cat' }, callContextOf()),
  ).rejects.toMatchObject({
    code: 'model/no-picture',
  });
  expect(facade.usage).toMatchObject({ requests: 1, failedRequests: 1, inputTokens: 10, outputTokens: 5, pictures: 0 });
});
