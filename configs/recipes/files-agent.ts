// Trajectories of an agent with a folder per row, verified by the files that it leaves: a server of its own serves each row.
//
//   npx data-designer preview files-agent.ts -n 3 --providers files-agent/providers.yaml
//   npx data-designer create files-agent.ts -n 500 -d files-agent --providers files-agent/providers.yaml
//
// The MCP server is files-agent/server.mjs; it needs data-designer installed in this folder. To adapt: name another server in
// providers.yaml. With on_exhausted: drop_row the dataset holds verified work only; the simulator would then leave no row.
import { DataDesignerConfigBuilder } from 'data-designer';
import { z } from 'zod';

const files = z.object({ 'todo.txt': z.string(), 'notes.txt': z.string() });

export default new DataDesignerConfigBuilder({
  // The simulator needs no key and makes its answers up. For real answers, change model and provider, for example to
  // gpt-4.1-mini and openai, which reads OPENAI_API_KEY; `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [
    { alias: 'planner', model: 'sim-large', provider: 'simulator', inferenceParameters: { temperature: 1 } },
    { alias: 'agent', model: 'sim-small', provider: 'simulator', inferenceParameters: { temperature: 1 } },
  ],
  toolConfigs: [{ toolAlias: 'desk-tools', providers: ['desk_of_row'], maxToolCallTurns: 8, timeoutSec: 20 }],
})
  // {{ row_dir }} in the arguments of the provider is a folder of the row, which begins with these files.
  .addEnvironment({
    name: 'desk_of_row',
    kind: 'mcp',
    provider: 'desk',
    files: '{{ plan.before }}',
    maxRows: 8,
  })
  .addColumn({
    name: 'subject',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['a move to another flat', 'a school fair', 'a garden in spring'] },
  })
  .addColumn({
    name: 'plan',
    columnType: 'llm-structured',
    modelAlias: 'planner',
    prompt: `Somebody plans {{ subject }} and keeps two files: todo.txt, a list with one task a line, and notes.txt.
Write both files, a request to an assistant that changes at least one of them, and both files as they must be after it.
The request must say everything that the assistant needs: there is one right result only.`,
    outputFormat: z.object({ before: files, request: z.string(), after: files }),
  })
  .addColumn({
    name: 'work',
    columnType: 'llm-text',
    modelAlias: 'agent',
    toolAlias: 'desk-tools',
    systemPrompt:
      'You keep the files of a desk. Read a file before you change it, and change nothing else than you are asked to.',
    prompt: '{{ plan.request }}',
    withTrace: 'all_messages',
  })
  .addColumn({
    name: 'verdict',
    columnType: 'validation',
    targetColumns: ['work__state'],
    validatorType: 'state',
    validatorParams: { sameAs: '{{ plan.after }}' },
  })
  // The work is tried until the files are right. Each attempt begins with the files of the plan.
  .addAttempts({
    name: 'working',
    columns: ['work', 'verdict'],
    until: 'verdict.is_valid',
    max: 4,
    onExhausted: 'keep_last',
  });
