import { appendFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

// An MCP server for tests of servers that belong to one row. It counts in memory, and notes its start and its calls in a file.
// Arguments: its folder, the file for notes, and how it misbehaves.

const [, , folder = '', notes = '', mode = ''] = process.argv;
const note = (what: string): void => appendFileSync(notes, `${process.pid} ${what}\n`);
note('start');
let count = 0;
let calls = 0;

const number = { type: 'object', properties: { by: { type: 'integer' } }, required: ['by'] };
const TOOLS = [
  { name: 'add', description: 'Adds to the count.', inputSchema: number },
  { name: 'count', description: 'Gives the count.', inputSchema: { type: 'object', properties: {} } },
  {
    name: 'write',
    description: 'Writes a file.',
    inputSchema: { type: 'object', properties: { path: { type: 'string' }, text: { type: 'string' } } },
  },
];

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly arguments?: Readonly<Record<string, unknown>> };
}

function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

function result(text: string, isError = false): object {
  return { content: [{ type: 'text', text }], isError };
}

function call(name: string, args: Readonly<Record<string, unknown>>): object {
  calls++;
  note(`${name} ${JSON.stringify(args)}`);
  if (mode === 'dies' && calls === 2) process.exit(3);
  if (mode === 'floods') for (let line = 0; line < 2_000; line++) process.stdout.write(`${'x'.repeat(5_000)}\n`);
  if (mode === 'huge') return result('y'.repeat(50 * 1024 * 1024));
  if (mode === 'clock') return result(`${process.hrtime.bigint()}`);
  if (name === 'write') {
    const path = join(folder, String(args.path));
    if (mode === 'links') symlinkSync('/', path);
    else {
      mkdirSync(join(path, '..'), { recursive: true });
      writeFileSync(path, String(args.text));
    }
    return result('written');
  }
  if (name === 'add' && count + Number(args.by) > 1_000) return result('too much', true);
  if (name === 'add') count += Number(args.by);
  return result(
    JSON.stringify({ count, file: mode === 'reads' ? readFileSync(join(folder, 'start.txt'), 'utf8') : null }),
  );
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line) as Message;
  if (method === 'initialize') {
    if (mode === 'never') process.exit(1);
    if (mode === 'once' && readFileSync(notes, 'utf8').split(' start').length > 3) process.exit(1);
    send({
      id,
      result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'row', version: '1' } },
    });
  } else if (method === 'tools/list') send({ id, result: { tools: TOOLS } });
  else if (method === 'tools/call') send({ id, result: call(params.name ?? '', params.arguments ?? {}) });
  else if (id !== undefined) send({ id, result: {} });
}
if (mode === 'lingers') await sleep(150);
note('end');
