// Prompts with a chosen and a rejected answer, for preference tuning: a judge orders two drafts.
//
//   npx data-designer preview preference-pairs.ts -n 3
//   npx data-designer create preference-pairs.ts -n 500 -d preference-pairs
//   npx data-designer export artifacts/preference-pairs --processor pairs -o pairs.jsonl
//
// To adapt: change the tasks, and the two aliases to models of different strength. A higher temperature gives drafts that
// differ more.
import { DataDesignerConfigBuilder } from 'data-designer';

export default new DataDesignerConfigBuilder({
  // Drafts of one strong and one weak model, judged by a third one.
  // The simulator needs no key and makes its answers up. For real answers, change model and provider, for example to
  // gpt-4.1-mini and openai, which reads OPENAI_API_KEY; `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [
    { alias: 'writer', model: 'sim-small', provider: 'simulator', inferenceParameters: { temperature: 0.7 } },
    { alias: 'weak-writer', model: 'sim-small', provider: 'simulator', inferenceParameters: { temperature: 1.3 } },
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
  .addColumn({ name: 'first', columnType: 'llm-text', modelAlias: 'writer', prompt: '{{ prompt }}' })
  .addColumn({ name: 'second', columnType: 'llm-text', modelAlias: 'weak-writer', prompt: '{{ prompt }}' })
  .addColumn({
    name: 'verdict',
    columnType: 'llm-judge',
    modelAlias: 'critic',
    prompt: `Two assistants answered the same message. Ignore the order and the length of the answers.
Message: {{ prompt }}
Answer A: {{ first }}
Answer B: {{ second }}`,
    scores: [
      {
        name: 'Better',
        description: 'Which answer is correct, complete and easier to use?',
        options: { A: 'the first answer', B: 'the second answer' },
      },
    ],
  })
  .addColumn({
    name: 'chosen',
    columnType: 'expression',
    expr: "{{ first if verdict.Better.score == 'A' else second }}",
  })
  .addColumn({
    name: 'rejected',
    columnType: 'expression',
    expr: "{{ second if verdict.Better.score == 'A' else first }}",
  })
  .addProcessor({
    name: 'pairs',
    processorType: 'schema_transform',
    template: { prompt: '{{ prompt }}', chosen: '{{ chosen }}', rejected: '{{ rejected }}' },
  });
