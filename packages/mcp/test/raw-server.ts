import { createInterface } from 'node:readline';

// A stdio server written by hand, for what no SDK would send. The mode is its first argument.
const mode = process.argv[2];
const page = {
  tools: [
    { name: 'one' },
    { name: 'two', description: 'Second.', inputSchema: { type: 'object', properties: { a: {} } } },
  ],
};

interface Request {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly cursor?: string; readonly protocolVersion?: string };
}

const pages: Record<string, (cursor: string | undefined) => unknown> = {
  pages: (cursor) =>
    cursor === undefined ? { ...page, nextCursor: 'next' } : { tools: [{ name: 'three' }], nextCursor: '' },
  loop: () => ({ ...page, nextCursor: 'same' }),
  nameless: () => ({ tools: [{ description: 'Who am I?' }] }),
  nothing: () => ({}),
};

function answer({ method, params }: Request): unknown {
  if (method === 'initialize') {
    const { protocolVersion } = params ?? {};
    return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'raw', version: '1' } };
  }
  if (method === 'tools/list') return (pages[mode ?? ''] ?? (() => page))(params?.cursor);
  return {
    content: [
      { type: 'text', text: 'fine' },
      { type: 'hologram', depth: 3 },
    ],
  };
}

if (mode === 'exit') {
  process.stderr.write(`cannot find my database; token ${process.env.API_TOKEN}\n`, () => process.exit(3));
} else {
  if (mode === 'stubborn') {
    process.on('SIGTERM', () => undefined);
    setInterval(() => undefined, 1_000);
  }
  if (mode === 'silent') process.stderr.write('still warming up\n');
  process.stdout.write('Welcome to the raw server!\n\n');
  createInterface({ input: process.stdin }).on('line', (line) => {
    const request = JSON.parse(line) as Request;
    if (request.id === undefined || mode === 'silent') return;
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: request.id, result: answer(request) })}\n`);
  });
}
