import { appendFileSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineTool, serveTools } from '@data-designer/mcp';

// A stdio server with one tool per way in which a call can go. Writes what happened to the file in EVENTS.
const parameters = { type: 'object' };
const record = (event: string): void => {
  if (process.env.EVENTS) appendFileSync(process.env.EVENTS, `${event}\n`);
};
record(`start ${process.pid}`);

const tools = [
  defineTool({ name: 'echo', description: 'Gives back its text.', parameters, execute: ({ text }) => text }),
  defineTool({ name: 'arguments', description: 'Gives its arguments as JSON.', parameters, execute: (args) => args }),
  defineTool({
    name: 'environment',
    description: 'Gives the names of its environment.',
    parameters,
    execute: () => Object.keys(process.env).toSorted().join(' '),
  }),
  defineTool({
    name: 'fail',
    description: 'Throws.',
    parameters,
    execute: () => {
      throw new Error('the shelf is empty');
    },
  }),
  defineTool({
    name: 'wait',
    description: 'Waits.',
    parameters: { type: 'object', properties: { ms: { type: 'number' } } },
    execute: async ({ ms, text }, { signal }) => {
      record('waiting');
      await sleep(Number(ms), undefined, { signal }).catch(() => record('cancelled'));
      return text ?? 'waited';
    },
  }),
  defineTool({
    name: 'crash',
    description: 'Ends the process.',
    parameters,
    execute: () => {
      record('crashing');
      process.stderr.write('out of cheese\n', () => process.exit(7));
      return sleep(60_000);
    },
  }),
  defineTool({
    name: 'crash_once',
    description: 'Ends the process if it is the first.',
    parameters,
    hints: { idempotentHint: true },
    execute: () => {
      const starts = readFileSync(process.env.EVENTS ?? '', 'utf8').match(/^start/gm)?.length;
      if (starts === 1) process.exit(1);
      return `survived in process ${starts}`;
    },
  }),
  defineTool({
    name: 'write_and_crash',
    description: 'Writes, and ends the process before it says so.',
    parameters,
    execute: () => {
      record('written');
      process.exit(7);
    },
  }),
];
await serveTools(tools, { name: 'tools-server', version: '1.0.0', transport: 'stdio' });
