// Instructions with a requirement on the form of the answer, and answers that a judge checks against it.
//
//   npx data-designer preview instructions.ts -n 3
//   npx data-designer create instructions.ts -n 500 -d instructions
//
// To adapt: change the subjects and requirements. Rows whose answer ignores the requirement get no follow-up.
import { DataDesignerConfigBuilder } from 'data-designer';

export default new DataDesignerConfigBuilder({
  // The simulator needs no key and makes its answers up. For real answers, change model and provider, for example to
  // gpt-4.1-mini and openai, which reads OPENAI_API_KEY; `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [
    { alias: 'writer', model: 'sim-small', provider: 'simulator' },
    { alias: 'critic', model: 'sim-large', provider: 'simulator', inferenceParameters: { temperature: 0.1 } },
  ],
})
  .addColumn({
    name: 'subject',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['composting', 'chess openings', 'first aid', 'map projections', 'sourdough'] },
  })
  .addColumn({
    name: 'verb',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['compare', 'explain', 'plan', 'rewrite', 'summarise'] },
  })
  .addColumn({
    name: 'requirement',
    columnType: 'sampler',
    samplerType: 'category',
    params: {
      values: [
        'in exactly three numbered steps',
        'without using the letter z',
        'as a table with two columns',
        'in at most forty words',
        'so that the last sentence is a question',
      ],
    },
  })
  .addColumn({
    name: 'instruction',
    columnType: 'llm-text',
    modelAlias: 'writer',
    prompt: `Write an instruction to an assistant that is about {{ subject }} and asks it to {{ verb }} something.
It demands that the answer is written {{ requirement }}. Give all material that the assistant needs.`,
  })
  .addColumn({ name: 'response', columnType: 'llm-text', modelAlias: 'writer', prompt: '{{ instruction }}' })
  .addColumn({
    name: 'check',
    columnType: 'llm-judge',
    modelAlias: 'critic',
    prompt: `The answer must be written {{ requirement }}. Check this requirement only, word by word if necessary.
Instruction: {{ instruction }}
Answer: {{ response }}`,
    scores: [
      {
        name: 'Form',
        description: 'Does the answer meet the requirement?',
        options: { 0: 'it does not', 1: 'it does' },
      },
    ],
  })
  // skip saves the request in rows where the condition is true.
  .addColumn({
    name: 'follow_up',
    columnType: 'llm-text',
    modelAlias: 'writer',
    prompt: `An assistant answered an instruction. Write the next message of the user, which builds on the answer.
Instruction: {{ instruction }}
Answer: {{ response }}`,
    skip: { when: '{{ check.Form.score == 0 }}', value: null },
  });
