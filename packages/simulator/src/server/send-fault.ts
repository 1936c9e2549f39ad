import { gzipSync } from 'node:zlib';
import { type Fault, statusOf } from '../fault.ts';
import type { Refusal } from '../refusal.ts';
import type { Visit } from './visit.ts';

const PAGE = '<!doctype html><html><head><title>Gateway</title></head><body><h1>Please sign in</h1></body></html>';

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

/** Faults of the wire: each says instead of `body`, the proper answer, what it wants to. */
const SENDERS: Partial<Record<Fault, (visit: Visit, body: string) => void>> = {
  reset(visit) {
    visit.end('reset');
    visit.response.req.socket.resetAndDestroy();
  },
  hang(visit) {
    visit.endingWithoutAnswer = 'hang';
  },
  stall(visit, body) {
    visit.endingWithoutAnswer = 'stall';
    visit.response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
    visit.response.write(body.slice(0, body.length >> 1));
  },
  truncate(visit, body) {
    const { response } = visit;
    visit.end('truncate');
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
    response.write(body.slice(0, body.length >> 1), () => response.destroy());
  },
  'bad-json': (visit, body) => visit.send(200, body.slice(0, body.length >> 1)),
  html: (visit) => visit.send(200, PAGE, 'text/html; charset=utf-8'),
  'no-choices': (visit, body) =>
    visit.send(
      200,
      withChoices(body, () => []),
    ),
  'choice-error': (visit, body) => visit.send(200, withChoices(body, brokenOff)),
  'object-content': (visit, body) => visit.send(200, withChoices(body, withObject)),
  'bad-utf8': (visit, body) => visit.send(200, withBadByte(body)),
  'gzip-bomb': (visit) => {
    visit.response.setHeader('Content-Encoding', 'gzip');
    visit.send(200, bomb());
  },
  quota: (visit) => visit.refuse(NOTHING_LEFT),
  'too-long': (visit) => visit.refuse(TOO_LONG),
};

type Choice = Readonly<Record<string, unknown>>;

/** A chat completion with other choices; bodies of other protocols stay as they are. */
function withChoices(body: string, change: (choice: Choice) => readonly Choice[]): string {
  const { choices, ...rest } = JSON.parse(body) as { readonly choices?: readonly Choice[] };
  return choices?.[0] ? JSON.stringify({ ...rest, choices: change(choices[0]) }) : body;
}

/** As OpenRouter tells of an upstream that broke off. */
function brokenOff(choice: Choice): readonly Choice[] {
  return [{ ...choice, finish_reason: 'error', error: { code: 502, message: 'Upstream error' } }];
}

function withObject(choice: Choice): readonly Choice[] {
  return [{ ...choice, message: { role: 'assistant', content: { text: 'an object' } } }];
}

const CONTENT = '"content":"';

function withBadByte(body: string): Buffer {
  const bytes = Buffer.from(body);
  bytes[bytes.indexOf(CONTENT) + CONTENT.length] = 0xff;
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

/** Shows a fault of the wire; false if the fault is none of those, or there is none. */
export function sendFault(visit: Visit, fault: Fault | undefined, context: FaultContext): boolean {
  if (fault === undefined) return false;
  const status = statusOf(fault);
  if (status !== undefined) {
    const retryAfter = status === 429 || status === 503 ? context.retryAfter : undefined;
    visit.refuse({ status, message: `The simulator fails on purpose with status ${status}.`, retryAfter });
    return true;
  }
  const sender = SENDERS[fault];
  sender?.(visit, context.body);
  return sender !== undefined;
}

/** What a fault may need: the proper answer and the Retry-After of a 429 or 503. */
export interface FaultContext {
  readonly body: string;
  readonly retryAfter: string | undefined;
}
