import type { MessagePort } from 'node:worker_threads';
import {
  type Address,
  type Call,
  type CallOutcome,
  type CallPath,
  DataDesignerError,
  type FailedCell,
  messageOf,
  type RowValues,
  type ServerWork,
  type ToolSchema,
  type Tries,
  type UntimedCall,
  type Verdict,
  type WireFailure,
} from '@data-designer/core';

/** Text in a message: short text as a string, long text as transferred bytes. */
export type PackedText = string | Uint8Array<ArrayBuffer>;

/** Longer texts are transferred as buffers, which is cheaper than cloning. */
const TRANSFER_ABOVE = 10_000;

/** A call that is journaled but not sent, without its body. */
type JournaledCall = Omit<UntimedCall, 'body'>;

/** From a row group to the gateway. `id` pairs a request with its reply. */
export type Ask =
  | ({ readonly kind: 'admit'; readonly id: number; readonly resource: string } & Address)
  | { readonly kind: 'call'; readonly id: number; readonly call: Omit<Call, 'body'>; readonly body: PackedText }
  /** Looks up an outcome in the journal, and adds one. */
  | { readonly kind: 'lookup'; readonly id: number; readonly call: JournaledCall; readonly body: PackedText }
  | {
      readonly kind: 'journal';
      readonly id: number;
      readonly call: JournaledCall;
      readonly body: PackedText;
      readonly outcome: CallOutcome;
    }
  | { readonly kind: 'fail-cell'; readonly id: number; readonly cell: FailedCell }
  | { readonly kind: 'tools'; readonly id: number; readonly provider: string }
  | {
      readonly kind: 'server';
      readonly id: number;
      readonly server: number;
      readonly row: number;
      readonly work: ServerWork;
    }
  | { readonly kind: 'cancel'; readonly row: number; readonly finishCalls: boolean }
  | ({ readonly kind: 'release' } & Address);

/** From the gateway back to a row group. */
export type Reply =
  | { readonly kind: 'admitted'; readonly id: number }
  /** `absent`: the journal has no outcome at the address. `journaled`: it has the outcome that was to be added. */
  | { readonly kind: 'absent' | 'journaled'; readonly id: number }
  | {
      readonly kind: 'outcome';
      readonly id: number;
      readonly outcome: Omit<CallOutcome, 'body'>;
      readonly body: PackedText;
    }
  | { readonly kind: 'tools'; readonly id: number; readonly schemas: readonly ToolSchema[] }
  /** What the server of a row gave. */
  | { readonly kind: 'served'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: WireFailure };

/** The reply to a call. */
export function outcomeReply(id: number, { status, headers, body, tries, verdict, sent }: CallOutcome): Reply {
  const outcome = { status, headers, ...(tries && { tries }), ...(verdict && { verdict }), ...(sent && { sent }) };
  return { kind: 'outcome', id, outcome, body: pack(body) };
}

/** A message as it is posted: frequent kinds are flat lists, which cost a third of an object to clone. */
export type Line<Message extends object> = Message | readonly unknown[];

type AdmitLine = readonly [id: number, resource: string, row: number, column: string, call: number];
type CallLine = readonly [
  ...AdmitLine,
  path: CallPath,
  body: PackedText,
  timeoutMs: number,
  deadlineMs?: number,
  maxAnswerBytes?: number,
  alias?: string,
  purpose?: string,
  pictures?: Call['pictures'],
  values?: ReturnType<RowValues>,
];
type OutcomeLine = readonly [
  id: number,
  status: number,
  body: PackedText,
  tries: Tries | null,
  verdict: Verdict | null,
  sent: string | null,
];

const ADMIT_LENGTH = 5;
/** The length of a call with no limit but its time. */
const UNLIMITED_LENGTH = 8;
const HEADERS_FROM = 6;

/** Encodes a request. */
export function writeAsk(ask: Ask): Line<Ask> {
  if (ask.kind === 'admit') return [ask.id, ask.resource, ask.row, ask.column, ask.call] satisfies AdmitLine;
  if (ask.kind !== 'call') return ask;
  const { resource, row, column, call, path, timeoutMs, deadlineMs, maxAnswerBytes, origin, pictures, values } =
    ask.call;
  const line = [ask.id, resource, row, column, call, path, ask.body, timeoutMs] satisfies CallLine;
  if (origin || pictures || values)
    return [...line, deadlineMs, maxAnswerBytes, origin?.alias, origin?.purpose, pictures, values?.()];
  return deadlineMs === undefined && maxAnswerBytes === undefined ? line : [...line, deadlineMs, maxAnswerBytes];
}

/** Decodes a request that `writeAsk` encoded. */
export function readAsk(line: Line<Ask>): Ask {
  if (!isList(line)) return line;
  const [id, resource, row, column, call] = line as AdmitLine;
  if (line.length === ADMIT_LENGTH) return { kind: 'admit', id, resource, row, column, call };
  const [, , , , , path, body, timeoutMs, deadlineMs, maxAnswerBytes, alias, purpose, pictures, values] =
    line as CallLine;
  const limits = line.length === UNLIMITED_LENGTH ? { timeoutMs } : { timeoutMs, deadlineMs, maxAnswerBytes };
  const origin = alias === undefined || purpose === undefined ? {} : { origin: { alias, purpose } };
  const shown = { ...(pictures && { pictures }), ...(values && { values: () => values }) };
  return { kind: 'call', id, call: { resource, row, column, call, path, ...limits, ...origin, ...shown }, body };
}

/** Encodes a reply; header names and values alternate at its end. */
export function writeReply(reply: Reply): Line<Reply> {
  if (reply.kind === 'admitted') return [reply.id];
  if (reply.kind !== 'outcome') return reply;
  const { status, headers, tries = null, verdict = null, sent = null } = reply.outcome;
  const line: unknown[] = [reply.id, status, reply.body, tries, verdict, sent] satisfies OutcomeLine;
  for (const name in headers) line.push(name, headers[name]);
  return line;
}

/** Decodes a reply that `writeReply` encoded. */
export function readReply(line: Line<Reply>): Reply {
  if (!isList(line)) return line;
  const [id, status, body, tries, verdict, sent] = line as OutcomeLine;
  if (line.length === 1) return { kind: 'admitted', id };
  const headers: Record<string, string> = {};
  for (let at = HEADERS_FROM; at < line.length; at += 2) headers[line[at] as string] = line[at + 1] as string;
  return {
    kind: 'outcome',
    id,
    outcome: { status, headers, ...(tries && { tries }), ...(verdict && { verdict }), ...(sent && { sent }) },
    body,
  };
}

/** The reply in place of one that cannot be cloned. */
export function insteadOfReply(line: Line<Reply>, reason: string): Reply {
  const failure = new DataDesignerError('internal/unexpected', {
    reason: `an answer cannot be sent to the row group: ${reason}`,
  });
  return { kind: 'failed', id: readReply(line).id, failure: failure.toWire() };
}

function isList<Message extends object>(line: Line<Message>): line is readonly unknown[] {
  return Array.isArray(line);
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function pack(text: string): PackedText {
  return text.length > TRANSFER_ABOVE ? encoder.encode(text) : text;
}

export function unpack(packed: PackedText): string {
  return typeof packed === 'string' ? packed : decoder.decode(packed);
}

/**
 * The most messages in a batch. Without a bound, a burst of answers would be posted, handled and answered as one batch:
 * the other side idles meanwhile, and requests that ended together stay together.
 */
const BATCH = 64;

/**
 * The message in place of one that cannot be cloned; undefined if the sender has handled that itself. `line` is the
 * encoded message.
 */
export type Instead<Message extends object> = (line: Line<Message>, reason: string) => Message | undefined;

/** Sends messages through a port in batches: posting one message costs 10 us, and posting an array hardly more. */
export class BatchingPort<Message extends object> {
  readonly #port: MessagePort;
  readonly #write: (message: Message) => Line<Message>;
  readonly #instead: Instead<Message>;
  #waiting: Line<Message>[] = [];
  #transfer: ArrayBuffer[] = [];

  constructor(port: MessagePort, write: (message: Message) => Line<Message>, instead: Instead<Message>) {
    this.#port = port;
    this.#write = write;
    this.#instead = instead;
  }

  /** Queues a message; with `autoFlush` it is posted at the end of this event loop turn, else by `flush`. */
  send(message: Message, autoFlush = true): void {
    if (autoFlush && this.#waiting.length === 0) setImmediate(() => this.flush());
    this.#waiting.push(this.#write(message));
    const { body } = message as { readonly body?: unknown };
    if (body instanceof Uint8Array) this.#transfer.push(body.buffer as ArrayBuffer);
    if (autoFlush && this.full) this.flush();
  }

  /** The number of queued messages. */
  get length(): number {
    return this.#waiting.length;
  }

  /** Whether the batch is full. */
  get full(): boolean {
    return this.#waiting.length >= BATCH;
  }

  flush(): void {
    if (this.#waiting.length === 0) return;
    const messages = this.#waiting;
    const transfer = this.#transfer;
    this.#waiting = [];
    this.#transfer = [];
    try {
      this.#port.postMessage(messages, transfer);
    } catch {
      for (const line of messages) this.#sendAlone(line);
    }
  }

  /** Posts one message of a batch that failed because one of its messages cannot be cloned. */
  #sendAlone(line: Line<Message>): void {
    try {
      this.#port.postMessage([line], buffersIn(line));
    } catch (thrown) {
      const other = this.#instead(line, messageOf(thrown));
      if (other) this.#port.postMessage([this.#write(other)]);
    }
  }
}

function buffersIn(line: object): ArrayBuffer[] {
  return Object.values(line).flatMap((part) => (part instanceof Uint8Array ? [part.buffer as ArrayBuffer] : []));
}
