import { expect, test } from 'vitest';
import type { Plan, ToolSchema } from '@data-designer/core';
import type { RunEvent } from '../run-event.ts';
import { listAllTools } from './list-tools.ts';

const NAMES = Array.from({ length: 130 }, (_, at) => `tool_${at}`);
const TOOLS = NAMES.map((name): ToolSchema => ({
  type: 'function',
  function: { name, description: '', parameters: { type: 'object', properties: {} } },
}));

/** The part of a plan that tools are checked against. */
function planWith(allowTools: readonly string[] | null, requestRules?: string): Plan {
  const requires = { models: ['writer'], tools: ['kit'] };
  const tools = { alias: 'kit', providers: ['office'], allowTools, maxToolCallTurns: 5, timeoutMs: 1000 };
  return {
    columns: [{ requires }],
    models: { writer: { alias: 'writer', protocol: 'openai', ...(requestRules && { requestRules }) } },
    tools: { kit: tools },
    resources: [{ kind: 'tools', provider: 'office' }],
  } as unknown as Plan;
}

async function eventsOf(plan: Plan): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  await listAllTools(plan, { listTools: async () => TOOLS }, { onEvent: (event) => void events.push(event) });
  return events;
}

test('one event reports the tools beyond the number that an endpoint takes', async () => {
  const events = await eventsOf(planWith(null));
  const reason = expect.stringContaining(
    "the endpoint of model 'writer' takes at most 128 tools, and 130 are listed",
  ) as string;
  expect(events).toEqual([{ type: 'tool-drop', provider: 'office', tools: ['tool_128', 'tool_129'], reason }]);
});

test('too many tools that allow_tools names end the run before its first request', async () => {
  await expect(eventsOf(planWith(NAMES))).rejects.toMatchObject({
    code: 'tool/too-many',
    data: { alias: 'kit', model: 'writer', tools: 130, most: 128 },
  });
  expect(await eventsOf(planWith(NAMES.slice(2)))).toEqual([]);
});

test('request_rules of an endpoint without a limit lift it', async () => {
  expect(await eventsOf(planWith(NAMES, 'vllm'))).toEqual([]);
});
