// A model writes one text for each row.
//
//   npx data-designer preview minimal.ts -n 3      shows a few records
//   npx data-designer create minimal.ts -n 100     writes a dataset to artifacts/dataset
import { DataDesignerConfigBuilder } from 'data-designer';

export default new DataDesignerConfigBuilder({
  // The simulator is built in, needs no key, and makes its answers up. For real answers, change model and provider:
  // openai, nvidia and openrouter read OPENAI_API_KEY, NVIDIA_API_KEY and OPENROUTER_API_KEY; vllm and ollama are servers on
  // this machine. `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [
    {
      alias: 'writer', // the name that columns use
      model: 'sim-small',
      provider: 'simulator',
      inferenceParameters: { temperature: 0.9, maxTokens: 400 },
    },
  ],
})
  // A sampler draws a value for each row. Weights are optional.
  .addColumn({
    name: 'product',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['kettle', 'lamp', 'radio'], weights: [2, 1, 1] },
  })
  .addColumn({
    name: 'mood',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['calm', 'annoyed', 'in a hurry'] },
  })
  // {{ product }} and {{ mood }} are the values of the same row.
  .addColumn({
    name: 'question',
    columnType: 'llm-text',
    modelAlias: 'writer',
    prompt: 'Write one question that a customer who is {{ mood }} asks about their {{ product }}.',
  })
  // A column can read every other column, so this one is written after the question.
  .addColumn({
    name: 'answer',
    columnType: 'llm-text',
    modelAlias: 'writer',
    systemPrompt: 'You work at a help desk and answer in two plain sentences.',
    prompt: 'Answer this question about a {{ product }}: {{ question }}',
  });
