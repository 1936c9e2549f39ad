// Worlds that a model invents, with tools, a task and its check; an agent solves the task, and is kept if the check holds.
//
//   npx data-designer preview world-builder.ts -n 3
//   npx data-designer create world-builder.ts -n 500 -d world-builder
//
// To adapt: change the domains and the prompts. With on_exhausted: drop_row the dataset holds solved tasks only. The
// simulator writes no SQL: with it no world opens, and a run stops early after 10 worlds that did not.
import { DataDesignerConfigBuilder } from 'data-designer';
import { z } from 'zod';

export default new DataDesignerConfigBuilder({
  // The simulator needs no key and makes its answers up. For real answers, change model and provider, for example to
  // gpt-4.1-mini and openai, which reads OPENAI_API_KEY; `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [
    { alias: 'builder', model: 'sim-large', provider: 'simulator', inferenceParameters: { temperature: 1 } },
    { alias: 'agent', model: 'sim-small', provider: 'simulator', inferenceParameters: { temperature: 1 } },
  ],
  toolConfigs: [{ toolAlias: 'invented-tools', providers: ['invented'] }],
})
  // The tables, their rows and the tools of each row come from its column world.
  .addEnvironment({
    name: 'invented',
    kind: 'sqlite',
    schema: '{{ world.tables }}',
    seed: '{{ world.rows }}',
    tools: '{{ world.tools }}',
  })
  .addColumn({
    name: 'domain',
    columnType: 'sampler',
    samplerType: 'category',
    params: {
      values: ['a library', 'a garage', 'a school timetable', 'a hotel', 'a veterinary practice', 'a food bank'],
    },
  })
  .addColumn({
    name: 'world',
    columnType: 'llm-structured',
    modelAlias: 'builder',
    prompt: `Invent a small world for a program that assists {{ domain }}.
tables: SQL of SQLite that creates two or three tables with keys and CHECK constraints.
rows: SQL that inserts five to ten rows into each table.
tools: three to six tools, each with a name, a description, the JSON Schema of its parameters, and SQL in which :name is
a parameter. Some read, some change rows. End statements that change rows with RETURNING.
task: what a person asks the assistant to do, which takes two or more tools. Name no tool.
check: a query that gives 1 once the task is done, and 0 before.`,
    outputFormat: z.object({
      tables: z.string(),
      rows: z.string(),
      tools: z
        .array(
          z.object({
            name: z.string(),
            description: z.string(),
            parameters: z.record(z.string(), z.unknown()).meta({ 'x-data-designer-storage': 'json' }),
            sql: z.string(),
          }),
        )
        .min(1),
      task: z.string(),
      check: z.string(),
    }),
  })
  // No calls: the world is opened, so that SQL which does not run costs the attempt, and begins__state is its beginning.
  .addColumn({
    name: 'begins',
    columnType: 'tool-calls',
    toolAlias: 'invented-tools',
    calls: '{{ [] if world else [] }}',
  })
  .addColumn({
    name: 'is_open',
    columnType: 'validation',
    targetColumns: ['begins__state'],
    validatorType: 'state',
    validatorParams: { checks: [{ name: 'not done yet', sql: '{{ world.check }}', equals: 0 }] },
  })
  .addColumn({
    name: 'work',
    columnType: 'llm-text',
    modelAlias: 'agent',
    toolAlias: 'invented-tools',
    withTrace: true,
    skip: { when: '{{ is_open.is_valid is not true }}' },
    systemPrompt: 'You assist {{ domain }}. Use your tools, and say in the end what you did.',
    prompt: '{{ world.task }}',
  })
  .addColumn({
    name: 'verdict',
    columnType: 'validation',
    targetColumns: ['work__state'],
    validatorType: 'state',
    validatorParams: { checks: [{ name: 'done', sql: '{{ world.check }}', equals: 1 }] },
  })
  .addAttempts({
    name: 'building',
    columns: ['world', 'begins', 'is_open'],
    until: 'is_open.is_valid',
    max: 4,
    onExhausted: 'keep_last',
  })
  .addAttempts({
    name: 'solving',
    columns: ['work', 'verdict'],
    until: 'verdict.is_valid',
    max: 8,
    onExhausted: 'keep_last',
  });
