import { gzipSync } from 'node:zlib';
import { type Fault, statusOf } from '../fault.ts';
import type { Refusal } from '../refusal.ts';
import type { Protocol } from '../protocol.ts';
import type { Visit } from './visit.ts';

const PAGE =
  '<!doctype html><html><head><link rel="icon" href="data:,"><title>Gateway</title></head><body><h1>Please sign in</h1></body></html>';

/** As OpenAI says these: by status alone the first is a rate limit, the second any bad request. */
const NOTHING_LEFT: Refusal = {
  status: 429,
  message: 'You exceeded your current quota, please check your plan and billing details.',
  code: 'insufficient_quota',
};
const TOO_LONG: Refusal = {
  status: 400,
  message: "This model's maximum context length is 8192 tokens.",
  param: 'messages',
  code: 'context_length_exceeded',
};

/** Faults of the transport: what each sends in place of `body`, the proper answer. */
const SENDERS: Partial<Record<Fault, (visit: Visit, context: FaultContext) => void>> = {
  reset(visit) {
    visit.end('reset');
    visit.response.req.socket.resetAndDestroy();
  },
  hang(visit) {
    visit.endingWithoutAnswer = 'hang';
  },
  stall(visit, { body }) {
    visit.endingWithoutAnswer = 'stall';
    visit.response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
    visit.response.write(body.slice(0, body.length >> 1));
  },
  truncate(visit, { body }) {
    const { response } = visit;
    visit.end('truncate');
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
    response.write(body.slice(0, body.length >> 1), () => response.destroy());
  },
  'bad-json': (visit, { body }) => visit.send(200, body.slice(0, body.length >> 1)),
  html: (visit) => visit.send(200, PAGE, 'text/html; charset=utf-8'),
  'no-choices': (visit, { body, protocol }) => visit.send(200, protocol.flaws['no-choices']?.(body) ?? body),
  'choice-error': (visit, { body, protocol }) => visit.send(200, protocol.flaws['choice-error']?.(body) ?? body),
  'object-content': (visit, { body, protocol }) => visit.send(200, protocol.flaws['object-content']?.(body) ?? body),
  'bad-utf8': (visit, { body, protocol }) => visit.send(200, withBadByte(body, protocol.textKey)),
  'gzip-bomb': (visit) => {
    visit.response.setHeader('Content-Encoding', 'gzip');
    visit.send(200, bomb());
  },
  quota: (visit) => visit.refuse(NOTHING_LEFT),
  'too-long': (visit) => visit.refuse(TOO_LONG),
};

function withBadByte(body: string, textKey: string | undefined): Buffer {
  const bytes = Buffer.from(body);
  const key = textKey === undefined ? -1 : bytes.indexOf(textKey);
  if (textKey !== undefined && key >= 0) bytes[key + textKey.length] = 0xff;
  return bytes;
}

const MEMBER_BYTES = 62_500_000;
const MEMBERS = 16;
let packed: Buffer | undefined;

/** A gigabyte of spaces: packed bodies that stand one after the other are unpacked as one. */
function bomb(): Buffer {
  packed ??= Buffer.concat(Array<Buffer>(MEMBERS).fill(gzipSync(Buffer.alloc(MEMBER_BYTES, ' '))));
  return packed;
}

/** Shows a fault of the transport; false if the fault is none of those, or there is none. */
export function sendFault(visit: Visit, fault: Fault | undefined, context: FaultContext): boolean {
  if (fault === undefined) return false;
  const status = statusOf(fault);
  if (status !== undefined) {
    const retryAfter = status === 429 || status === 503 ? context.retryAfter : undefined;
    visit.refuse({ status, message: `The simulator fails on purpose with status ${status}.`, retryAfter });
    return true;
  }
  const sender = SENDERS[fault];
  sender?.(visit, context);
  return sender !== undefined;
}

/** What a fault may need: the proper answer, its protocol, and the Retry-After of a 429 or 503. */
export interface FaultContext {
  readonly body: string;
  readonly retryAfter: string | undefined;
  readonly protocol: Pick<Protocol, 'textKey' | 'flaws'>;
}
