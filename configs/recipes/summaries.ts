// Minutes of meetings with summaries of different length and a list of tasks, checked for invented facts.
//
//   npx data-designer preview summaries.ts -n 3
//   npx data-designer create summaries.ts -n 500 -d summaries
//
// To adapt: change the occasions and the lengths, or replace the column minutes by a seed with texts of your own.
import { DataDesignerConfigBuilder } from 'data-designer';
import { z } from 'zod';

export default new DataDesignerConfigBuilder({
  // The simulator needs no key and makes its answers up. For real answers, change model and provider, for example to
  // gpt-4.1-mini and openai, which reads OPENAI_API_KEY; `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [
    {
      alias: 'writer',
      model: 'sim-small',
      provider: 'simulator',
      inferenceParameters: { temperature: 0.8, maxTokens: 2000 },
    },
    { alias: 'critic', model: 'sim-large', provider: 'simulator', inferenceParameters: { temperature: 0.1 } },
  ],
})
  .addColumn({
    name: 'occasion',
    columnType: 'sampler',
    samplerType: 'category',
    params: {
      values: ['a parish council on a new playground', 'a team of nurses on shifts', 'the owners of a block of flats'],
    },
  })
  .addColumn({
    name: 'people',
    columnType: 'sampler',
    samplerType: 'uniform',
    params: { low: 3, high: 7 },
    convertTo: 'int',
  })
  .addColumn({ name: 'words', columnType: 'sampler', samplerType: 'category', params: { values: [20, 50, 120] } })
  .addColumn({
    name: 'minutes',
    columnType: 'llm-text',
    modelAlias: 'writer',
    prompt: `Write the minutes of a meeting of {{ people }} people: {{ occasion }}. Include one vote with its numbers, one
disagreement that stays open, and two tasks with a name and a date. Write 250 to 350 words.`,
  })
  .addColumn({
    name: 'summary',
    columnType: 'llm-text',
    modelAlias: 'writer',
    prompt: `Sum up these minutes in at most {{ words }} words. Keep the result of the vote.
{{ minutes }}`,
  })
  .addColumn({
    name: 'tasks',
    columnType: 'llm-structured',
    modelAlias: 'writer',
    prompt: `List the tasks of these minutes.
{{ minutes }}`,
    outputFormat: z
      .array(
        z.object({
          who: z.string(),
          what: z.string(),
          due: z.string().nullable().describe('The date as written; null if there is none.'),
        }),
      )
      .max(5),
  })
  .addColumn({ name: 'word_count', columnType: 'expression', expr: '{{ summary.split() | length }}', dtype: 'int' })
  .addColumn({
    name: 'rating',
    columnType: 'llm-judge',
    modelAlias: 'critic',
    prompt: `Compare the summary with the minutes.
Minutes: {{ minutes }}
Summary: {{ summary }}`,
    scores: [
      {
        name: 'Faithfulness',
        description: 'Is everything in the summary also in the minutes?',
        options: { 1: 'no', 2: 'except details', 3: 'yes' },
      },
      {
        name: 'Coverage',
        description: 'Are the vote and the tasks in the summary?',
        options: { 1: 'neither', 2: 'one of them', 3: 'both' },
      },
    ],
  });
