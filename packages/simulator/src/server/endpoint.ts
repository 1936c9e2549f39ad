import { checkRules } from '../chat/request-rules.ts';
import { hash as digest } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { DataDesignerError } from '@data-designer/core';
import { Draws } from '../draws.ts';
import { badRequest } from '../refusal.ts';
import type { Settings } from '../settings.ts';
import type { Protocol } from '../protocol.ts';
import { sendFault } from './send-fault.ts';
import { type Books, Visit } from './visit.ts';

/** The largest body that is kept; the rest of a larger one is read and dropped. */
const MOST_BYTES = 16 * 1024 * 1024;

/** Serves one protocol: reads, checks, waits, answers. */
export class Endpoint<Request extends { readonly model: string }> {
  readonly #protocol: Protocol<Request>;
  readonly #settings: Settings;
  readonly #books: Books;

  constructor(protocol: Protocol<Request>, settings: Settings, books: Books) {
    this.#protocol = protocol;
    this.#settings = settings;
    this.#books = books;
  }

  serve(request: IncomingMessage, response: ServerResponse): void {
    const { refusalBody } = this.#protocol;
    const from = { path: request.url, sender: request.headers['user-agent'] };
    const visit = new Visit(response, { ...this.#books, ...from, refusalBody });
    readBody(request, (body) => this.#receive(visit, request.headers, body));
  }

  #receive(visit: Visit, headers: IncomingMessage['headers'], body: Buffer | undefined): void {
    if (body === undefined) return visit.refuse({ status: 413, message: `The body is over ${MOST_BYTES} bytes.` });
    visit.hash = digest('sha256', body, 'hex');
    const { limit, retryAfter } = this.#settings;
    if (visit.inFlight > limit) {
      return visit.refuse({ status: 429, message: `More than ${limit} requests are in flight.`, retryAfter });
    }
    const request = parse(body);
    const refusal =
      request === undefined
        ? badRequest('The body is not valid JSON.')
        : (this.#protocol.check(request, { headers, settings: this.#settings }) ??
          checkRules(request, this.#settings.requestRules));
    if (refusal !== undefined) return visit.refuse(refusal);
    try {
      this.#answer(visit, request as Request, { hash: visit.hash, headers });
    } catch (thrown) {
      const { message } = DataDesignerError.fromUnknown(thrown);
      visit.refuse({ status: 500, message });
    }
  }

  #answer(
    visit: Visit,
    request: Request,
    { hash, headers }: { hash: string; headers: IncomingMessage['headers'] },
  ): void {
    const settings = this.#settings;
    const draws = Draws.ofRequest(settings.seed, hash);
    const timesSeen = this.#books.ledger.see(hash);
    const { body, tokens, fault, refusal } = this.#protocol.reply(request, {
      settings,
      headers,
      hash,
      draws,
      timesSeen,
    });
    visit.model = request.model;
    visit.tokens = tokens;
    visit.latencyMs =
      settings.latency(draws.of('latency')) + (1000 * tokens.completionTokens) / settings.tokensPerSecond;
    visit.wait(() => {
      if (refusal !== undefined) visit.refuse(refusal);
      else if (!sendFault(visit, fault, { body, retryAfter: settings.retryAfter, protocol: this.#protocol }))
        visit.send(200, body);
    });
  }
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

/** Reads a body to its end; `done` gets undefined if it was too large, and is not called if the client goes away. */
function readBody(request: IncomingMessage, done: (body: Buffer | undefined) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MOST_BYTES) chunks.push(chunk);
    else chunks.length = 0;
  });
  request.on('end', () => {
    if (size > MOST_BYTES) done(undefined);
    else done(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
  });
}
