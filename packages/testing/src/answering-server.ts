import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server of this machine that answers as a test says. */
export interface AnsweringServer extends Disposable {
  /** Its address, without a path. */
  readonly origin: string;
}

/** Gives one answer; the body of the request has come by then. */
type Answer = (body: string, response: ServerResponse, request: IncomingMessage) => void | Promise<void>;

/** Opens a server; disposed of, it closes the connections that are open. */
export async function openAnsweringServer(answer: Answer): Promise<AnsweringServer> {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    request.on('end', () => void answer(body, response, request));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { origin: `http://127.0.0.1:${port}`, [Symbol.dispose]: close };
}

/** Sends what a model server sends: JSON. */
export function reply(response: ServerResponse, body: object, { status = 200, headers = {} } = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** The answer of a model, as a chat completion. */
export function completion(content: string, usage = { prompt_tokens: 1, completion_tokens: 1 }): object {
  return { choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }], usage };
}
