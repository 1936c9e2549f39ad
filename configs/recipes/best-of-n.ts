// The best of four answers to each request: a model answers several times, and the answer with the highest grade stays.
//
//   npx data-designer preview best-of-n.ts -n 3
//   npx data-designer create best-of-n.ts -n 500 -d best-of-n
//
// To adapt: change the requests and the rubric. More attempts and a higher temperature give better answers for more money.
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
    name: 'topic',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['sourdough bread', 'tax returns', 'first aid', 'public libraries', 'house plants'] },
  })
  .addColumn({
    name: 'request',
    columnType: 'llm-text',
    modelAlias: 'writer',
    prompt:
      'Write a question that a beginner asks an assistant about {{ topic }}. Include one detail of the situation.',
  })
  .addColumn({ name: 'answer', columnType: 'llm-text', modelAlias: 'writer', prompt: '{{ request }}' })
  .addColumn({
    name: 'grade',
    columnType: 'llm-judge',
    modelAlias: 'critic',
    prompt: `Grade the answer to a question of a beginner. Ignore its length.
Question: {{ request }}
Answer: {{ answer }}`,
    scores: [
      {
        name: 'Quality',
        description: 'Is the answer correct, complete and easy to follow?',
        options: {
          1: 'wrong or beside the question',
          2: 'right in parts',
          3: 'right, but incomplete',
          4: 'right and complete',
          5: 'right, complete and easy to follow',
        },
      },
    ],
  })
  // Answer and grade are made four times for the same request.
  .addAttempts({ name: 'drafts', columns: ['answer', 'grade'], keep: { best: 'grade.Quality.score' }, max: 4 });
