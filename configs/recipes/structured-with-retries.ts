// Typed records from texts, made again until they pass a rule that no JSON Schema can state: an event ends after it begins.
//
//   npx data-designer preview structured-with-retries.ts -n 3
//   npx data-designer create structured-with-retries.ts -n 500 -d structured-with-retries
//
// To adapt: change the fields, and write the rules between them as one expression.
import { DataDesignerConfigBuilder } from 'data-designer';
import { z } from 'zod';

export default new DataDesignerConfigBuilder({
  // The simulator needs no key and makes its answers up. For real answers, change model and provider, for example to
  // gpt-4.1-mini and openai, which reads OPENAI_API_KEY; `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [
    { alias: 'writer', model: 'sim-small', provider: 'simulator', inferenceParameters: { temperature: 0.9 } },
    { alias: 'extractor', model: 'sim-small', provider: 'simulator', inferenceParameters: { temperature: 0.7 } },
  ],
})
  .addColumn({
    name: 'kind',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['a lecture', 'a repair', 'a rehearsal', 'a guided tour', 'a board meeting'] },
  })
  .addColumn({
    name: 'message',
    columnType: 'llm-text',
    modelAlias: 'writer',
    prompt:
      'Write a short message that announces {{ kind }} today, with its place, when it begins and how long it takes.',
  })
  // The form of an answer is corrected within an attempt; what its fields say is checked after it.
  .addColumn({
    name: 'event',
    columnType: 'llm-structured',
    modelAlias: 'extractor',
    prompt: `Extract the event. Hours count from 0 to 23.
{{ message }}`,
    outputFormat: z.object({
      place: z.string(),
      begins: z.int().min(0).max(23),
      ends: z.int().min(0).max(23),
    }),
  })
  .addAttempts({ name: 'extract', columns: ['event'], until: 'event.ends > event.begins', max: 8 });
