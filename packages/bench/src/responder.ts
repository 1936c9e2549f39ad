import { createServer, type Socket } from 'node:net';
import { CANNED_REVIEW } from './canned-review.ts';
import type { ResponderOptions, ServedCounts } from './start-responder.ts';

// A model server with nothing behind it: it reads just enough of HTTP/1.1 to answer every POST with the same completion.
// Started as a program of its own, so that its CPU is not counted; ends with its stdin, and says then what it has served.

const TIDE = 'The tide follows the moon, and the moon follows nobody. ';
const ANSWERS = { text: TIDE.repeat(4).trim(), long: TIDE.repeat(25).trim(), json: JSON.stringify(CANNED_REVIEW) };

const { latencyMs, answer: kind, stands }: ResponderOptions = JSON.parse(process.argv[2] ?? '{}');

const body = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 0,
  model: 'canned',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: ANSWERS[kind],
      },
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 40, completion_tokens: 56, total_tokens: 96 },
});
const answer = Buffer.from(
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
);

const refusal = Buffer.from(
  'HTTP/1.1 429 Too Many Requests\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}',
);

const served: ServedCounts = { perSecond: [], refused: 0 };
let startedAt: number | undefined;
let underWay = 0;

function respond(socket: Socket, isLast: boolean): void {
  const send = (bytes: Buffer) => (isLast ? socket.end(bytes) : socket.write(bytes));
  startedAt ??= performance.now();
  if (underWay >= stands) {
    served.refused++;
    send(refusal);
    return;
  }
  if (latencyMs === 0) return void send(answer);
  underWay++;
  setTimeout(() => {
    underWay--;
    count(startedAt as number);
    send(answer);
  }, latencyMs);
}

function count(since: number): void {
  const second = Math.floor((performance.now() - since) / 1000);
  while (served.perSecond.length <= second) served.perSecond.push(0);
  served.perSecond[second] = (served.perSecond[second] ?? 0) + 1;
}

function serve(socket: Socket): void {
  socket.setNoDelay(true);
  let pending: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    for (let end = requestEnd(pending); end > 0; end = requestEnd(pending)) {
      const isLast = CLOSE.test(pending.toString('latin1', 0, pending.indexOf('\r\n\r\n')));
      pending = pending.subarray(end);
      respond(socket, isLast);
    }
  });
  socket.on('error', () => socket.destroy());
}

/** A client that reads an answer to the end of the connection. */
const CLOSE = /^connection: *close/im;

/** Where the first whole request ends; 0 while it is not all here. */
function requestEnd(bytes: Buffer): number {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return 0;
  const length = /content-length: *(\d+)/i.exec(bytes.toString('latin1', 0, headEnd))?.[1] ?? '0';
  const end = headEnd + 4 + Number(length);
  return end <= bytes.length ? end : 0;
}

const server = createServer(serve);
// Thousands connect at once; those beyond the queue would be asked to come again a second later.
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
  const { port } = server.address() as { port: number };
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}/v1` })}\n`);
});
process.stdin.resume().on('end', () => {
  process.stdout.write(`${JSON.stringify(served)}\n`, () => process.exit(0));
});
