// Queries with a relevant and a misleading passage, and their vectors, for the training of embedding models.
//
//   npx data-designer preview embedding-pairs.ts -n 3
//   npx data-designer create embedding-pairs.ts -n 500 -d embedding-pairs
//
// To adapt: change the subjects, and name your own embedding model. Vectors are in query_vector.embeddings.
import { DataDesignerConfigBuilder } from 'data-designer';

export default new DataDesignerConfigBuilder({
  // The simulator needs no key and makes its answers up. For real answers, change model and provider, for example to
  // gpt-4.1-mini and openai, which reads OPENAI_API_KEY; `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [
    { alias: 'writer', model: 'sim-small', provider: 'simulator' },
    {
      alias: 'vectors',
      model: 'sim-embed',
      provider: 'simulator',
      inferenceParameters: { generationType: 'embedding' },
    },
  ],
})
  .addColumn({
    name: 'subject',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['allotment rules', 'bicycle repair', 'museum tickets', 'parking permits', 'river swimming'] },
  })
  .addColumn({
    name: 'query_style',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['a full question', 'four search words', 'a sentence with a typing mistake'] },
  })
  .addColumn({
    name: 'query',
    columnType: 'llm-text',
    modelAlias: 'writer',
    prompt: 'Write what somebody types into a search box about {{ subject }}, as {{ query_style }}.',
  })
  .addColumn({
    name: 'relevant',
    columnType: 'llm-text',
    modelAlias: 'writer',
    prompt: `Write a passage of 60 to 90 words from a web page about {{ subject }} that answers this search without repeating its
words: {{ query }}`,
  })
  .addColumn({
    name: 'misleading',
    columnType: 'llm-text',
    modelAlias: 'writer',
    prompt: `Write a passage of 60 to 90 words from a web page about {{ subject }} that uses the words of this search, but does not
answer it: {{ query }}`,
  })
  .addColumn({ name: 'query_vector', columnType: 'embedding', modelAlias: 'vectors', targetColumn: 'query' })
  .addColumn({ name: 'relevant_vector', columnType: 'embedding', modelAlias: 'vectors', targetColumn: 'relevant' })
  .addColumn({ name: 'misleading_vector', columnType: 'embedding', modelAlias: 'vectors', targetColumn: 'misleading' });
