// A second model scores what the first one wrote.
//
//   npx data-designer preview judge.ts -n 3
//   npx data-designer create judge.ts -n 100 -d judge
//   npx data-designer report artifacts/judge     shows the distribution of each score
import { DataDesignerConfigBuilder } from 'data-designer';

export default new DataDesignerConfigBuilder({
  // The simulator is built in, needs no key, and makes its answers up. For real answers, change model and provider:
  // openai, nvidia and openrouter read OPENAI_API_KEY, NVIDIA_API_KEY and OPENROUTER_API_KEY; vllm and ollama are servers on
  // this machine. `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [
    { alias: 'writer', model: 'sim-small', provider: 'simulator', inferenceParameters: { temperature: 0.9 } },
    {
      alias: 'critic', // preferably a stronger model than the writer
      model: 'sim-large',
      provider: 'simulator',
      inferenceParameters: { temperature: 0.1 },
    },
  ],
})
  .addColumn({
    name: 'topic',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['tides', 'yeast', 'magnets'] },
  })
  .addColumn({
    name: 'reader',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['a child', 'an engineer'] },
  })
  .addColumn({
    name: 'explanation',
    columnType: 'llm-text',
    modelAlias: 'writer',
    prompt: 'Explain {{ topic }} to {{ reader }} in three sentences.',
  })
  // The judge writes its reasoning first, then picks one of the options. Each option has a meaning.
  .addColumn({
    name: 'grade',
    columnType: 'llm-judge',
    modelAlias: 'critic',
    prompt: `Judge this explanation of {{ topic }} for {{ reader }}.
{{ explanation }}`,
    scores: [
      {
        name: 'Accuracy',
        description: 'Is the explanation correct?',
        options: { 1: 'wrong', 2: 'partly correct', 3: 'correct' },
      },
      {
        name: 'Fit',
        description: 'Is it written for this reader?',
        options: { 1: 'not at all', 2: 'mostly', 3: 'completely' },
      },
    ],
  })
  // Templates read a single score, for example to select rows later.
  .addColumn({
    name: 'is_good',
    columnType: 'expression',
    expr: '{{ grade.Accuracy.score == 3 and grade.Fit.score >= 2 }}',
    dtype: 'bool',
  });
