// Trajectories with tools that nobody has built: a model invents an API and a task, a second one plays the tools for an assistant.
//
//   npx data-designer preview simulated-tools.ts -n 3
//   npx data-designer create simulated-tools.ts -n 500 -d simulated-tools
//
// To adapt: change the domains and the prompts. With on_exhausted: drop_row the dataset holds checked trajectories only; the
// simulator, which writes no schemas, would then leave few rows.
import { DataDesignerConfigBuilder } from 'data-designer';
import { z } from 'zod';

export default new DataDesignerConfigBuilder({
  // The simulator needs no key and makes its answers up. For real answers, change model and provider, for example to
  // gpt-4.1-mini and openai, which reads OPENAI_API_KEY; `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [
    { alias: 'builder', model: 'sim-large', provider: 'simulator', inferenceParameters: { temperature: 1 } },
    { alias: 'world', model: 'sim-large', provider: 'simulator', inferenceParameters: { temperature: 0.3 } },
    { alias: 'agent', model: 'sim-small', provider: 'simulator', inferenceParameters: { temperature: 1 } },
  ],
  toolConfigs: [{ toolAlias: 'service-tools', providers: ['service'], maxToolCallTurns: 8 }],
})
  // The tools of each row come from its column tools, and the state that they begin with from its column start.
  .addEnvironment({
    name: 'service',
    kind: 'simulated',
    modelAlias: 'world',
    state: '{{ start.state }}',
    instructions: 'The tools are those of {{ domain }}.',
    tools: '{{ tools }}',
  })
  .addColumn({
    name: 'domain',
    columnType: 'sampler',
    samplerType: 'category',
    params: {
      values: [
        'a weather service',
        'a parcel service',
        'a smart home',
        'a cinema',
        'a bicycle rental',
        'a food delivery',
      ],
    },
  })
  .addColumn({
    name: 'tools',
    columnType: 'llm-structured',
    modelAlias: 'builder',
    prompt: `Invent the API of {{ domain }} for an assistant that calls its tools: three to six tools, each with a name, a description,
the JSON Schema of its parameters, and the JSON Schema of its result as output_schema. Some read, some change something.`,
    outputFormat: z
      .array(
        z.object({
          name: z.string().regex(/^[a-z][a-z_]{2,40}$/),
          description: z.string(),
          parameters: z.record(z.string(), z.unknown()).meta({ 'x-data-designer-storage': 'json' }),
          output_schema: z.record(z.string(), z.unknown()).meta({ 'x-data-designer-storage': 'json' }),
        }),
      )
      .min(1),
  })
  .addColumn({
    name: 'start',
    columnType: 'llm-structured',
    modelAlias: 'builder',
    prompt: `{{ domain }} has an API with these tools: {{ tools }}
state: the data that the tools begin with, as one JSON object with lists of five to ten records.
task: what a person asks the assistant to do, which takes two or more tools. Name no tool.`,
    outputFormat: z.object({
      state: z.record(z.string(), z.unknown()).meta({ 'x-data-designer-storage': 'json' }),
      task: z.string(),
    }),
  })
  // No calls: the world is opened, so that tools which cannot be used cost the attempt.
  .addColumn({
    name: 'begins',
    columnType: 'tool-calls',
    toolAlias: 'service-tools',
    calls: '{{ [] if start else [] }}',
  })
  .addColumn({
    name: 'work',
    columnType: 'llm-text',
    modelAlias: 'agent',
    toolAlias: 'service-tools',
    withTrace: 'all_messages',
    skip: { when: '{{ begins is none }}' },
    systemPrompt: 'You are the assistant of {{ domain }}. Use your tools, and say in the end what you found or did.',
    prompt: '{{ start.task }}',
  })
  // No model is asked: this reads the calls and results of the trajectory.
  .addColumn({
    name: 'check',
    columnType: 'validation',
    targetColumns: ['work__trace'],
    validatorType: 'trajectory',
    validatorParams: { toolsColumn: 'tools', maxEqualCalls: 1 },
  })
  .addAttempts({
    name: 'building',
    columns: ['tools', 'start', 'begins'],
    until: 'begins is not none',
    max: 4,
    onExhausted: 'keep_last',
  })
  .addAttempts({
    name: 'solving',
    columns: ['work', 'check'],
    until: 'check.is_valid',
    max: 4,
    onExhausted: 'keep_last',
  });
