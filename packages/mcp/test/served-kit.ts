import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { defineTool, image } from '@data-designer/mcp';

/** What became of calls that were waited for. */
export const ended: string[] = [];

const nothing = { type: 'object', properties: {} };

/** Tools with everything that a server can tell of one. */
export const servedKit = [
  defineTool({
    name: 'add',
    description: 'Adds two numbers.',
    parameters: z.object({ a: z.number(), b: z.number().default(1) }),
    execute: ({ a, b }) => ({ sum: a + b }),
    hints: {
      title: 'Add numbers',
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
      outputSchema: z.object({ sum: z.number() }),
    },
  }),
  defineTool({
    name: 'lie',
    description: 'Gives what it did not promise.',
    parameters: nothing,
    execute: () => ({ sum: 'x' }),
    hints: { outputSchema: z.object({ sum: z.number() }) },
  }),
  defineTool({
    name: 'wait',
    description: 'Waits, and says how far it is.',
    parameters: z.object({ steps: z.int(), ms: z.number() }),
    execute: async ({ steps, ms }, { signal, progress, log }) => {
      log('waiting');
      for (let step = 1; step <= steps; step++) {
        progress(step, steps);
        await sleep(ms, undefined, { signal }).catch(() => ended.push('cancelled'));
        if (signal.aborted) return 'cancelled';
      }
      return 'waited';
    },
  }),
  defineTool({
    name: 'fail',
    parameters: nothing,
    execute: () => {
      throw new Error('the shelf is empty');
    },
  }),
  defineTool({
    name: 'draw',
    parameters: nothing,
    execute: () => ['Look:', image(Buffer.from('iVBORw0KGgo=', 'base64'), 'image/png')],
  }),
  defineTool({
    name: 'print',
    parameters: nothing,
    execute: () => {
      process.stdout.write('this is no message\n');
      return 'printed';
    },
  }),
  defineTool({ name: 'read', parameters: nothing, execute: (_args, { readResource }) => readResource('note:1') }),
];
