import { hash as digest } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { DataDesignerError } from '@data-designer/core';
import { answer } from '../chat/answer.ts';
import type { ChatRequest } from '../chat/chat-request.ts';
import { checkChatRequest } from '../chat/check-chat-request.ts';
import { completionTokensOf, promptTokensOf } from '../chat/count-tokens.ts';
import { Prompt } from '../chat/prompt.ts';
import { chooseFault } from '../choose-fault.ts';
import { Draws } from '../draws.ts';
import type { Settings } from '../settings.ts';
import { completionBody } from './completion-body.ts';
import { MOST_BYTES, readBody } from './read-body.ts';
import { badRequest } from '../refusal.ts';
import { sendFault } from './send-fault.ts';
import { Visit, type Books } from './visit.ts';

/** Serves chat completions: reads, checks, waits, answers. */
export class ChatEndpoint {
  readonly #settings: Settings;
  readonly #books: Books;

  constructor(settings: Settings, books: Books) {
    this.#settings = settings;
    this.#books = books;
  }

  serve(request: IncomingMessage, response: ServerResponse): void {
    const visit = new Visit(response, this.#books);
    readBody(request, (body) => this.#receive(visit, body));
  }

  #receive(visit: Visit, body: Buffer | undefined): void {
    if (body === undefined) return visit.refuse({ status: 413, message: `The body is over ${MOST_BYTES} bytes.` });
    visit.hash = digest('sha256', body, 'hex');
    const { limit, retryAfter } = this.#settings;
    if (visit.inFlight > limit) {
      return visit.refuse({ status: 429, message: `More than ${limit} requests are in flight.`, retryAfter });
    }
    const request = parse(body);
    const refusal = request === undefined ? badRequest('The body is not valid JSON.') : checkChatRequest(request);
    if (refusal !== undefined) return visit.refuse(refusal);
    try {
      this.#answer(visit, visit.hash, request as ChatRequest);
    } catch (thrown) {
      const { message } = DataDesignerError.fromUnknown(thrown);
      visit.refuse({ status: 500, message });
    }
  }

  #answer(visit: Visit, hash: string, request: ChatRequest): void {
    const { seed, faults, retryAfter } = this.#settings;
    const prompt = new Prompt(request);
    const draws = Draws.ofRequest(seed, hash);
    const turn = { request, prompt, draws, shared: Draws.ofConversation(seed, prompt.opening) };
    const fault = chooseFault(turn, faults, this.#books.ledger.see(hash));
    const said = answer({ ...turn, fault });
    visit.model = request.model;
    visit.tokens = { promptTokens: promptTokensOf(request), completionTokens: completionTokensOf(said) };
    visit.latencyMs = this.#settings.latency(draws.of('latency'));
    const body = completionBody({ hash, model: request.model, answer: said, ...visit.tokens });
    visit.wait(() => {
      if (!sendFault(visit, fault, { body, retryAfter })) visit.send(200, body);
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
