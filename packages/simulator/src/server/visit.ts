import type { ServerResponse } from 'node:http';
import { type Ending, type Ledger, NO_TOKENS } from '../ledger.ts';
import type { RequestLog } from '../request-log.ts';
import type { Refusal } from '../refusal.ts';
import type { Gate } from './gate.ts';

/** Where visits are counted and, if asked for, logged, and the gate that their answers leave by. */
export interface Books {
  readonly ledger: Ledger;
  readonly gate: Gate;
  readonly log: RequestLog | undefined;
}

/** Where a visit is counted, at which path it came in, and how it is refused there. */
interface VisitParts extends Books {
  readonly path: string | undefined;
  readonly sender: string | undefined;
  readonly refusalBody: (refusal: Refusal) => string;
}

/** One request from its arrival to its one ending. */
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
  readonly #parts: VisitParts;
  readonly #arrivedAt = Date.now();
  #timer: NodeJS.Timeout | undefined;
  #hasEnded = false;

  constructor(response: ServerResponse, parts: VisitParts) {
    this.response = response;
    this.#parts = parts;
    this.inFlight = parts.ledger.arrive();
    response.once('close', () => this.end(this.endingWithoutAnswer));
  }

  /** Goes on after the visit's latency, once answers are not held, unless the client goes away first. */
  wait(proceed: () => void): void {
    const pass = () => this.#parts.gate.pass(() => this.#hasEnded || proceed());
    if (this.latencyMs <= 0) pass();
    else this.#timer = setTimeout(pass, this.latencyMs);
  }

  /** Sends a whole body. */
  send(status: number, body: string | Buffer, type = 'application/json'): void {
    this.end(status);
    this.response.writeHead(status, ['Content-Type', type, 'Content-Length', String(Buffer.byteLength(body))]);
    this.response.end(body);
  }

  /** Sends a refusal. */
  refuse(refusal: Refusal): void {
    if (refusal.retryAfter !== undefined) this.response.setHeader('Retry-After', refusal.retryAfter);
    this.send(refusal.status, this.#parts.refusalBody(refusal));
  }

  /** Counts and logs how the visit ended; only the first ending counts. */
  end(status: Ending): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    const { hash, model, latencyMs } = this;
    const { path, sender, ledger, log } = this.#parts;
    const arrivedAt = this.#arrivedAt;
    const tokens = status === 200 ? this.tokens : NO_TOKENS;
    const at = { sender, arrivedAt, tookMs: Date.now() - arrivedAt };
    const entry = { hash, path, model, status, latencyMs, ...at, ...tokens };
    ledger.leave();
    ledger.record(entry);
    log?.write(entry);
  }
}
