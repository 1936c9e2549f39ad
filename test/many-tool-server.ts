import { appendFileSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/**
 * A small MCP server: its tool has the name of the first argument, and its starts, calls and ends go to the file of the
 * second, with how many of these servers are alive at each start. With a third argument it dies of each call.
 */
const [name = '', log = '', deadly] = process.argv.slice(2);

appendFileSync(log, `start ${name} ${process.pid}\n`);
appendFileSync(log, `alive ${aliveOnes()} ${process.pid}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line) as { id?: number; method: string };
  if (id === undefined) continue;
  if (method === 'tools/call') appendFileSync(log, `call ${name} ${process.pid}\n`);
  if (method === 'tools/call' && deadly !== undefined) process.exit(7);
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: resultOf(method) })}\n`);
}
appendFileSync(log, `end ${name} ${process.pid}\n`);

function resultOf(method: string): object {
  if (method === 'initialize') {
    return { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name, version: '1' } };
  }
  if (method === 'tools/list') return { tools: [{ name, inputSchema: { type: 'object', properties: {} } }] };
  return { content: [{ type: 'text', text: `${name} ran` }] };
}

function aliveOnes(): number {
  const started = readFileSync(log, 'utf8').matchAll(/^start \S+ (\d+)$/gm);
  return [...started].filter(([, pid]) => isAlive(Number(pid))).length;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
