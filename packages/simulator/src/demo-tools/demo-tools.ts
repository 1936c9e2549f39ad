import '@data-designer/core/end-on-old-node';

// A small MCP server over stdio, for trying out tool use: it ends when its stdin is closed.
const { serveTools } = await import('@data-designer/mcp/serve');
const { addNumbers, getFact, listTopics } = await import('./tools.ts');
await serveTools([getFact, addNumbers, listTopics], { name: 'demo-tools', version: '0.1.0', transport: 'stdio' });
