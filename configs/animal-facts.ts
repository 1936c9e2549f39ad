import { DataDesigner, DataDesignerConfigBuilder } from 'data-designer';
import { z } from 'zod';

const config = new DataDesignerConfigBuilder({
  modelConfigs: [{ alias: 'writer', model: 'sim-small', provider: 'simulator' }],
})
  .addToolConfig({ toolAlias: 'facts', providers: ['demo-tools'], allowTools: ['get_fact'] })
  .addColumn({
    name: 'animal',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['octopuses', 'bees'] },
  })
  .addColumn({
    name: 'fact',
    columnType: 'llm-text',
    modelAlias: 'writer',
    toolAlias: 'facts',
    withTrace: true,
    prompt: 'Tell me one thing about {{ animal }}. Use the tool get_fact.',
  })
  .addColumn({
    name: 'quiz',
    columnType: 'llm-structured',
    modelAlias: 'writer',
    prompt: 'A quiz question on this: {{ fact }}',
    outputFormat: z.object({ question: z.string(), answer: z.string() }),
  });

const results = await new DataDesigner().preview(config, { numRecords: 3 });

// Records are typed: `animal` is 'octopuses' | 'bees', `quiz` is { question: string; answer: string }.
export const records = await Array.fromAsync(results.records());
for (const record of records) console.log(`${record.animal}:`, results.toolCalls(record)[0]?.result);
