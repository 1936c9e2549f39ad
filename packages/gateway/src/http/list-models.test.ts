import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { protocolOf } from '@data-designer/models/protocols';
import { ModelEndpoint } from './model-endpoint.ts';

let server: Server;
let origin: string;
let asked: IncomingMessage[];
let answer: (response: ServerResponse) => void;

beforeEach(async () => {
  asked = [];
  server = createServer((request, response) => {
    asked.push(request);
    answer(response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(() => server.close());

const say = (status: number, body: unknown) => (response: ServerResponse) =>
  void response.writeHead(status, { connection: 'close' }).end(typeof body === 'string' ? body : JSON.stringify(body));

async function list(endpoint = `${origin}/v1`, protocol = 'openai'): Promise<readonly string[]> {
  const access = {
    protocol: protocolOf(protocol),
    apiKey: 'a-key',
    keyShown: 'the key K',
    extraHeaders: { 'x-a': 'b' },
  };
  await using opened = new ModelEndpoint({ ...access, endpoint });
  return await opened.listModels('mine');
}

test('lists the names of an OpenAI-compatible endpoint in order, with key and headers', async () => {
  answer = say(200, { object: 'list', data: [{ id: 'b' }, { id: 'a' }, { id: 'a' }, { name: 'c' }] });
  expect(await list()).toEqual(['a', 'b']);
  const [{ method, url, headers }] = asked as [IncomingMessage];
  expect({ method, url }).toEqual({ method: 'GET', url: '/v1/models' });
  expect(headers).toMatchObject({ authorization: 'Bearer a-key', 'x-a': 'b' });
});

test('takes a bare list, and keeps the query of the address', async () => {
  answer = say(200, [{ id: 'a' }]);
  expect(await list(`${origin}/api?version=2`, 'anthropic')).toEqual(['a']);
  expect(asked[0]?.url).toBe('/api/v1/models?version=2&limit=1000');
  expect(asked[0]?.headers['x-api-key']).toBe('a-key');
});

test.each([
  [
    401,
    { error: { message: 'Wrong key.' } },
    'with status 401: Wrong key. The request carried the key K. Check the key.',
  ],
  [404, '<html></html>', '/v1/models with status 404. Check that its endpoint is the base address'],
  [503, { detail: 'overloaded' }, 'with status 503: overloaded. Try again later.'],
  [200, { ok: true }, 'the answer of /v1/models is not a list of models. Check that its endpoint'],
  [200, 'hello', 'the answer of /v1/models is not a list of models.'],
])('status %i with %j is reported with its remedy', async (status, body, message) => {
  answer = say(status, body);
  await expect(list()).rejects.toMatchObject({ code: 'model/not-listed', message: expect.stringContaining(message) });
  expect(asked).toHaveLength(1);
});

test('an endpoint that cannot be reached is reported at once', async () => {
  await expect(list('http://127.0.0.1:9/v1')).rejects.toMatchObject({
    code: 'model/not-listed',
    message:
      "Cannot list the models of provider 'mine': connect ECONNREFUSED 127.0.0.1:9. Check that it is running and that its endpoint is correct.",
  });
});
