import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

// The bare limit: the SDK's own client on one thread. Its argument says as JSON where the server is; for each line on
// its stdin it makes so many calls and prints a line when they are done. It ends with its stdin.
interface Job {
  readonly command: string;
  readonly args: string[];
  /** Where a server is that speaks streamable HTTP; else one is started over stdio. */
  readonly url?: string;
  readonly inFlight: number;
}

const { url, command, args, inFlight } = JSON.parse(process.argv[2] ?? '') as Job;
const client = new Client({ name: 'loop', version: '1.0.0' });
const transport = url
  ? new StreamableHTTPClientTransport(new URL(url))
  : new StdioClientTransport({ command, args, stderr: 'inherit' });
await client.connect(transport);

for await (const line of createInterface({ input: process.stdin })) {
  let left = Number(line);
  const lane = async (): Promise<void> => {
    while (left-- > 0) {
      const { content } = await client.callTool({ name: 'echo', arguments: { text: `row ${left}` } });
      if (!Array.isArray(content)) throw new Error('an answer without content');
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  process.stdout.write('done\n');
}
await client.close();
