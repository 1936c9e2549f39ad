import { setTimeout as sleep } from 'node:timers/promises';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { startStreamable } from './http-server.ts';

// A server made with the official SDK alone, to measure with: `echo` answers at once, `wait` after so many milliseconds.
// Over stdio, or with the argument `http` at a free port, whose address it prints; it ends with its stdin.
if (process.argv[2] === 'http') {
  const { endpoint } = await startStreamable();
  process.stdout.write(`${JSON.stringify({ url: endpoint })}\n`);
  process.stdin.on('end', () => process.exit()).resume();
} else {
  const properties = { text: { type: 'string' }, ms: { type: 'number' } };
  const server = new Server({ name: 'trivial', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: ['echo', 'wait'].map((name) => ({ name, inputSchema: { type: 'object', properties } })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    if (params.name === 'wait') await sleep(Number(process.argv[2] ?? 0));
    return { content: [{ type: 'text', text: String(params.arguments?.text) }] };
  });
  await server.connect(new StdioServerTransport());
}
