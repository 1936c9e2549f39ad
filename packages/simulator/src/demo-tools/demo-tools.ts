import { serveTools } from '@data-designer/mcp';
import { addNumbers, getFact, listTopics } from './tools.ts';

// A small MCP server over stdio, for trying out tool use: it ends when its stdin is closed.
await serveTools([getFact, addNumbers, listTopics], { name: 'demo-tools', version: '0.1.0', transport: 'stdio' });
