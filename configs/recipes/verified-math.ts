// Word problems with a solution that is right: a model tries up to eight times, and each answer is compared with the result.
//
//   npx data-designer preview verified-math.ts -n 3
//   npx data-designer create verified-math.ts -n 500 -d verified-math
//
// To adapt: change the problem and the expression of expected together. With on_exhausted: drop_row the dataset holds
// verified solutions only; the simulator, which cannot calculate, would then leave no row.
import { DataDesignerConfigBuilder } from 'data-designer';
import { z } from 'zod';

export default new DataDesignerConfigBuilder({
  // The simulator needs no key and makes its answers up. For real answers, change model and provider, for example to
  // gpt-4.1-mini and openai, which reads OPENAI_API_KEY; `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [
    { alias: 'solver', model: 'sim-large', provider: 'simulator', inferenceParameters: { temperature: 1 } },
    { alias: 'reader', model: 'sim-small', provider: 'simulator', inferenceParameters: { temperature: 0 } },
  ],
})
  .addColumn({
    name: 'trains',
    columnType: 'sampler',
    samplerType: 'uniform',
    params: { low: 3, high: 12 },
    convertTo: 'int',
  })
  .addColumn({
    name: 'seats',
    columnType: 'sampler',
    samplerType: 'uniform',
    params: { low: 40, high: 180 },
    convertTo: 'int',
  })
  .addColumn({
    name: 'free',
    columnType: 'sampler',
    samplerType: 'uniform',
    params: { low: 2, high: 30 },
    convertTo: 'int',
  })
  .addColumn({
    name: 'problem',
    columnType: 'expression',
    expr: '{{ trains }} trains have {{ seats }} seats each. {{ free }} seats stay free in every train. How many people travel?',
  })
  // The numbers are known, so no model is needed to know the result.
  .addColumn({ name: 'expected', columnType: 'expression', expr: '{{ trains * (seats - free) }}', dtype: 'int' })
  .addColumn({
    name: 'solution',
    columnType: 'llm-text',
    modelAlias: 'solver',
    prompt: `Solve this problem step by step. Write the result in the last line.
{{ problem }}`,
  })
  .addColumn({
    name: 'answer',
    columnType: 'llm-structured',
    modelAlias: 'reader',
    prompt: `Which number does this solution give as its result? Do not calculate.
{{ solution }}`,
    outputFormat: z.object({ result: z.number() }),
  })
  .addColumn({
    name: 'is_verified',
    columnType: 'expression',
    expr: '{{ (answer.result - expected) | abs < 0.01 }}',
    dtype: 'bool',
  })
  // Solution, answer and comparison are made again for the same problem until the answer is right.
  .addAttempts({
    name: 'solve',
    columns: ['solution', 'answer', 'is_verified'],
    until: 'is_verified',
    max: 8,
    onExhausted: 'keep_last',
  });
