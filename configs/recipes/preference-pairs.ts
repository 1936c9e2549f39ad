// Prompts with a chosen and a rejected answer, for preference tuning: the best and the worst of four graded drafts.
//
//   npx data-designer preview preference-pairs.ts -n 3
//   npx data-designer create preference-pairs.ts -n 500 -d preference-pairs
//   npx data-designer export artifacts/preference-pairs --processor pairs -o pairs.jsonl
//
// To adapt: change the tasks and the rubric. A higher temperature gives drafts that differ more; a prompt whose drafts all
// have the same grade makes no pair, and its row is left out.
import { DataDesignerConfigBuilder } from 'data-designer';

export default new DataDesignerConfigBuilder({
  // The simulator needs no key and makes its answers up. For real answers, change model and provider, for example to
  // gpt-4.1-mini and openai, which reads OPENAI_API_KEY; `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [
    { alias: 'writer', model: 'sim-small', provider: 'simulator', inferenceParameters: { temperature: 1 } },
    { alias: 'critic', model: 'sim-large', provider: 'simulator', inferenceParameters: { temperature: 0 } },
  ],
})
  .addColumn({
    name: 'task',
    columnType: 'sampler',
    samplerType: 'category',
    params: {
      values: [
        'explain a term of statistics to a colleague in marketing',
        'decline an invitation without giving a reason',
        'give advice on how to store vegetables',
        'compare two ways to learn a language',
        'describe how a bicycle stays upright',
      ],
    },
  })
  .addColumn({
    name: 'prompt',
    columnType: 'llm-text',
    modelAlias: 'writer',
    prompt: 'Write the message in which a user asks an assistant to {{ task }}. Include one detail of the situation.',
  })
  .addColumn({ name: 'draft', columnType: 'llm-text', modelAlias: 'writer', prompt: '{{ prompt }}' })
  .addColumn({
    name: 'grade',
    columnType: 'llm-judge',
    modelAlias: 'critic',
    prompt: `Grade the answer of an assistant. Ignore its length.
Message: {{ prompt }}
Answer: {{ draft }}`,
    scores: [
      {
        name: 'Quality',
        description: 'Is the answer correct, complete and easy to use?',
        options: {
          1: 'wrong or beside the question',
          2: 'right in parts',
          3: 'right, but incomplete',
          4: 'right and complete',
          5: 'right, complete and easy to use',
        },
      },
    ],
  })
  .addColumn({ name: 'chosen', columnType: 'expression', expr: '{{ drafts__chosen.draft }}' })
  .addColumn({ name: 'rejected', columnType: 'expression', expr: '{{ drafts__rejected.draft }}' })
  // Draft and grade are made four times for the same prompt; the row has the best and the worst one.
  .addAttempts({ name: 'drafts', columns: ['draft', 'grade'], keep: { pair: 'grade.Quality.score' }, max: 4 })
  .addProcessor({
    name: 'pairs',
    processorType: 'schema_transform',
    template: { prompt: '{{ prompt }}', chosen: '{{ chosen }}', rejected: '{{ rejected }}' },
  });
