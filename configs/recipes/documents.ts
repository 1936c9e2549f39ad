// Questions and answers about the documents in a folder (documents/).
//
//   npx data-designer preview documents.ts -n 3
//   npx data-designer create documents.ts -n 100 -d documents
import { DataDesignerConfigBuilder } from 'data-designer';

/** A row of the seed. */
interface SeedRow {
  readonly file_name: string;
  readonly content: string;
}

export default new DataDesignerConfigBuilder({
  // The simulator is built in, needs no key, and makes its answers up. For real answers, change model and provider:
  // openai, nvidia and openrouter read OPENAI_API_KEY, NVIDIA_API_KEY and OPENROUTER_API_KEY; vllm and ollama are servers on
  // this machine. `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [{ alias: 'writer', model: 'sim-small', provider: 'simulator' }],
})
  // The seed: one row for each file. Its text is in the column content, its name in file_name.
  .withSeedDataset<SeedRow>({ seedType: 'file_contents', path: 'documents', filePattern: '*.md' })
  .addColumn({
    name: 'reader',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['a new colleague', 'a visitor'] },
  })
  .addColumn({
    name: 'question',
    columnType: 'llm-text',
    modelAlias: 'writer',
    prompt: `Write one question that {{ reader }} could ask and that this text answers.
{{ content }}`,
  })
  .addColumn({
    name: 'answer',
    columnType: 'llm-text',
    modelAlias: 'writer',
    prompt: `Answer the question with facts of this text only.
Question: {{ question }}
Text: {{ content }}`,
  });
