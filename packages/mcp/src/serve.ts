// What a tool server needs, without the clients and sessions of a run.
export { defineTool } from './define-tool.ts';
export { serveTools } from './serve-tools.ts';
