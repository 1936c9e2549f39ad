import type { ServerResponse } from 'node:http';
import type { Ending, Ledger } from '../ledger.ts';
import type { RequestLog } from '../request-log.ts';
import { refusalBody, type Refusal } from '../refusal.ts';

/** Where visits are counted and, if asked for, logged. */
export interface Books {
  readonly ledger: Ledger;
  readonly log: RequestLog | undefined;
}

const NO_TOKENS = { promptTokens: 0, completionTokens: 0 };

/** One chat request from its arrival to its one ending. */
export class Visit {
  readonly response: ServerResponse;
  /** How many requests were in flight when this one came, itself included. */
  readonly inFlight: number;
  hash: string | undefined;
  model: string | undefined;
  latencyMs = 0;
  /** What is counted once a whole answer is sent. */
  tokens = NO_TOKENS;
  /** What is counted if the client goes away first. */
  endingWithoutAnswer: Ending = 'aborted';
  readonly #books: Books;
  #timer: NodeJS.Timeout | undefined;
  #hasEnded = false;

  constructor(response: ServerResponse, books: Books) {
    this.response = response;
    this.#books = books;
    this.inFlight = books.ledger.arrive();
    response.once('close', () => this.end(this.endingWithoutAnswer));
  }

  /** Goes on after the visit's latency, unless the client goes away first. */
  wait(proceed: () => void): void {
    if (this.latencyMs <= 0) proceed();
    else this.#timer = setTimeout(proceed, this.latencyMs);
  }

  /** Sends a whole body. */
  send(status: number, body: string, type = 'application/json'): void {
    this.end(status);
    this.response.writeHead(status, ['Content-Type', type, 'Content-Length', String(Buffer.byteLength(body))]);
    this.response.end(body);
  }

  /** Sends a refusal. */
  refuse(refusal: Refusal): void {
    if (refusal.retryAfter !== undefined) this.response.setHeader('Retry-After', refusal.retryAfter);
    this.send(refusal.status, refusalBody(refusal));
  }

  /** Counts and logs how the visit ended; only the first ending counts. */
  end(status: Ending): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    const { hash, model, latencyMs } = this;
    const tokens = status === 200 ? this.tokens : NO_TOKENS;
    const entry = { hash, model, status, latencyMs, ...tokens };
    this.#books.ledger.leave();
    this.#books.ledger.record(entry);
    this.#books.log?.write(entry);
  }
}
