import { defineTool } from '@data-designer/mcp';

// A module whose exports are tools, one for each way in which one can go.

const parameters = { type: 'object' };
let calls = 0;

export const count = defineTool({ name: 'count', parameters, execute: () => ++calls });

/** Blocks its thread for good. */
export const block = defineTool({
  name: 'block',
  parameters,
  execute: () => {
    for (;;);
  },
});

/** Blocks its thread for a while. */
export const labour = defineTool({
  name: 'labour',
  parameters,
  execute: ({ ms }) => {
    const end = performance.now() + Number(ms);
    while (performance.now() < end);
    return 'done';
  },
});

export const quit = defineTool({ name: 'quit', parameters, execute: () => process.exit(9) });

export const more = [
  defineTool({
    name: 'say',
    parameters,
    execute: (_args, { log }) => {
      process.stdout.write('printed by a tool\n');
      log('said by a tool');
    },
  }),
  defineTool({ name: 'read', parameters, execute: (_args, { readResource }) => readResource('note:1') }),
];

export const readResource = (uri: string): string => `the text of ${uri}`;

export const notATool = { name: 'neither', of: 'these' };
