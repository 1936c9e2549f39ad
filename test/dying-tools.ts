import { appendFileSync } from 'node:fs';
import { defineTool, serveTools } from '@data-designer/mcp';

// An MCP server whose only tool notes its call in the file of its argument, and ends the process instead of answering.

const getFact = defineTool({
  name: 'get_fact',
  description: 'Gives a fact, it says.',
  parameters: { type: 'object', properties: { topic: { type: 'string' } } },
  execute: ({ topic }) => {
    const [, , written = ''] = process.argv;
    appendFileSync(written, `${String(topic)}\n`);
    process.exit(3);
  },
});

await serveTools([getFact], { name: 'dying', version: '0.0.0', transport: 'stdio' });
