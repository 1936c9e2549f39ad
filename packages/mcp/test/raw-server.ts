import { appendFileSync, closeSync } from 'node:fs';
import { createInterface } from 'node:readline';

// A stdio server written by hand, for what no SDK would send. The mode is its first argument; with `given` the tools are the
// second. Writes what it is asked to
// the file in EVENTS.
const mode = process.argv[2] ?? '';
const page = {
  tools: [
    { name: 'one' },
    { name: 'two', description: 'Second.', inputSchema: { type: 'object', properties: { a: {} } } },
  ],
};
const DEEP = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
const FLOOD = 'x'.repeat(999).concat('\n').repeat(1_000);
let listings = 0;
let held: object | undefined;
/** Notifications that are refused with the next request. */
let refused = 0;

interface Request {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly name?: string; readonly cursor?: string | number; readonly protocolVersion?: string };
}

const most = '#9223372036854775807#';

// Between marks stand numbers that JavaScript has not.
const pages: Record<string, (cursor: string | number | undefined) => unknown> = {
  pages: (cursor) =>
    cursor === undefined ? { ...page, nextCursor: 'next' } : { tools: [{ name: 'three' }], nextCursor: '' },
  loop: () => ({ ...page, nextCursor: 'same' }),
  endless: (cursor) => ({ ...page, nextCursor: `${Number(cursor ?? 0) + 1}` }),
  nameless: () => ({ tools: [{ description: 'Who am I?' }] }),
  nothing: () => ({}),
  partly: (cursor) =>
    cursor === undefined
      ? { tools: [...page.tools, {}, { name: 'deep', inputSchema: '#DEEP#' }], nextCursor: 2 }
      : { tools: [{ name: cursor === 2 ? 'three' : 'wrong' }] },
  twice: (cursor) =>
    cursor === undefined
      ? { ...page, nextCursor: 'next' }
      : { tools: [page.tools[1], { ...page.tools[1], name: 'one' }] },
  digits: () => ({ tools: [{ name: 'one', inputSchema: { type: 'object', properties: { n: { maximum: most } } } }] }),
  given: () => ({ tools: JSON.parse(process.argv[3] ?? '[]') as unknown }),
  changing: () => (listings > 1 ? { tools: [{ name: 'two' }] } : page),
};

const results: Record<string, () => unknown> = {
  deep: () => ({ content: [], structuredContent: '#DEEP#' }),
  big: () => ({ content: [{ type: 'text', text: 'y'.repeat(10 * 2 ** 20) }] }),
  digits: () => ({ content: [], structuredContent: { n: '#12345678901234567890#' } }),
  scalar: () => 5,
  nothing: () => undefined,
};

function answer({ method, params }: Request): unknown {
  if (method === 'initialize') {
    const protocolVersion = mode === 'ancient' ? '1999-01-01' : params?.protocolVersion;
    return {
      protocolVersion,
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'raw', version: '1' },
    };
  }
  if (method === 'tools/list') {
    listings++;
    return (pages[mode] ?? (() => page))(params?.cursor);
  }
  const fine = [
    { type: 'text', text: 'fine' },
    { type: 'hologram', depth: 3 },
  ];
  return results[mode] ? results[mode]() : { content: fine };
}

function send(message: object): void {
  process.stdout.write(
    `${JSON.stringify({ jsonrpc: '2.0', ...message })
      .replaceAll(/"#(\d+)#"/g, '$1')
      .replace('"#DEEP#"', DEEP)}\n`,
  );
}

function fail(id: number, message: string): void {
  send({ id, error: { code: -32_602, message } });
}

function serve(request: Request): void {
  const { id, method, params } = request;
  if (process.env.EVENTS) appendFileSync(process.env.EVENTS, `${process.pid} ${method}\n`);
  if (id === undefined && mode === 'picky') refused++;
  if (id === undefined || mode === 'silent') return;
  for (; refused > 0; refused--) send({ id: null, error: { code: -32_600, message: 'Invalid Request' } });
  if (mode === 'pages' && method === 'tools/call')
    process.stdout.write(`${JSON.stringify([{ jsonrpc: '2.0', id: `${id}`, result: { content: [] } }])}\n`);
  if (method === 'initialize' && mode === 'refuse') return fail(id, 'the licence of this server has expired');
  if (method === 'initialize' && mode === 'slow')
    return void setTimeout(() => send({ id, result: answer(request) }), 1_500);
  if (method === 'tools/call' && mode === 'flood') for (let n = 0; n < 50; n++) process.stderr.write(FLOOD);
  if (method === 'tools/call' && mode === 'changing') {
    if (params?.name === 'one' && listings > 1) return fail(id, 'there is no tool one any more');
    send({ method: 'notifications/tools/list_changed' });
  }
  // The answer comes after the next failure.
  if (method === 'tools/call' && params?.name === 'held') return void (held = { id, result: answer(request) });
  if (method === 'tools/call' && mode === 'mixed' && serveOddly(id, params?.name)) return;
  const failure = mode === 'mixed' ? failures[params?.name ?? ''] : failures[mode];
  if (method === 'tools/call' && failure) {
    send(failure(id));
    if (held) send(held);
    held = undefined;
    return;
  }
  if (method === 'tools/call' && mode === 'log') {
    process.stdout.write(`${JSON.stringify({ id, level: 'info', result: { content: [] } })}\n`);
  }
  send({ id, result: answer(request) });
}

/** Answers in a form that no client expects; false for other tools. */
function serveOddly(id: number, tool = ''): boolean {
  const sent: Record<string, () => unknown> = {
    big: () => send({ id, result: results['big']?.() }),
    stray: () => process.stdout.write('{ pretty\n'),
    other: () => send({ id: 777, result: {} }),
    mute: () => undefined,
    nan: () => process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"n":NaN}}\n`),
    last: () => process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{}}`, () => process.exit()),
    deaf: () => closeSync(1),
  };
  if (!Object.hasOwn(sent, tool)) return false;
  sent[tool]?.();
  return true;
}

const failures: Record<string, (id: number) => object> = {
  unread: () => ({ id: null, error: { code: -32_700, message: 'Parse error', data: 'at byte 5' } }),
  data: (id) => ({ id, error: { code: 1, message: 'no', data: { field: 'a' } } }),
  object: (id) => ({ id, error: { code: 1, message: { reason: 'no room' } } }),
  plain: (id) => ({ id, error: 'it broke' }),
};

if (mode === 'exit') {
  process.stderr.write(`cannot find my database; token ${process.env.API_TOKEN}\n`, () => process.exit(3));
} else {
  if (mode === 'stubborn') {
    process.on('SIGTERM', () => undefined);
    setInterval(() => undefined, 1_000);
  }
  if (mode === 'silent') process.stderr.write('still warming up\n');
  process.stdout.write('Welcome to the raw server!\n{"not": "a message"}\n[1, 2\n\n');
  createInterface({ input: process.stdin }).on('line', (line) => {
    for (const noise of mode === 'noisy' ? ['debug: got a line', 'null', '42'] : []) process.stdout.write(`${noise}\n`);
    serve(JSON.parse(line) as Request);
  });
}
