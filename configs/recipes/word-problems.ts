// Word problems with drawn numbers: an expression computes the correct result and checks the answer of a model.
//
//   npx data-designer preview word-problems.ts -n 3
//   npx data-designer create word-problems.ts -n 500 -d word-problems
//
// To adapt: change the story, the samplers, and the expressions of expected and is_correct together.
import { DataDesignerConfigBuilder } from 'data-designer';
import { z } from 'zod';

export default new DataDesignerConfigBuilder({
  // The simulator needs no key and makes its answers up. For real answers, change model and provider, for example to
  // gpt-4.1-mini and openai, which reads OPENAI_API_KEY; `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [
    { alias: 'writer', model: 'sim-small', provider: 'simulator', inferenceParameters: { temperature: 0.9 } },
    { alias: 'solver', model: 'sim-large', provider: 'simulator', inferenceParameters: { temperature: 0 } },
  ],
})
  .addColumn({
    name: 'item',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['bags of flour', 'cinema tickets', 'metres of rope', 'pots of paint'] },
  })
  .addColumn({
    name: 'count',
    columnType: 'sampler',
    samplerType: 'uniform',
    params: { low: 3, high: 40 },
    convertTo: 'int',
  })
  .addColumn({
    name: 'price',
    columnType: 'sampler',
    samplerType: 'uniform',
    params: { low: 1, high: 20, decimalPlaces: 2 },
  })
  .addColumn({ name: 'discount', columnType: 'sampler', samplerType: 'category', params: { values: [0, 5, 10, 25] } })
  .addColumn({
    name: 'problem',
    columnType: 'llm-text',
    modelAlias: 'writer',
    prompt: `Write a word problem for pupils of 11 to 13 years. Somebody buys {{ count }} {{ item }} at {{ price }} euros each
{% if discount > 0 %}and gets {{ discount }} percent off the total{% else %}without any discount{% endif %}.
Ask for the amount to pay, in euros. Use all of these numbers and no others, and do not solve the problem.`,
  })
  // The numbers are known, so no model is needed to know the result.
  .addColumn({
    name: 'expected',
    columnType: 'expression',
    expr: '{{ (count * price * (100 - discount) / 100) | round(2) }}',
    dtype: 'float',
  })
  .addColumn({
    name: 'solution',
    columnType: 'llm-structured',
    modelAlias: 'solver',
    prompt: `Solve this problem step by step. Round the result to two decimal places.
{{ problem }}`,
    outputFormat: z.object({ steps: z.array(z.string()).min(1).max(6), result: z.number() }),
  })
  .addColumn({
    name: 'is_correct',
    columnType: 'expression',
    expr: '{{ (solution.result - expected) | abs < 0.01 }}',
    dtype: 'bool',
  });
