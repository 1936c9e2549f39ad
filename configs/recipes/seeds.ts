// Each row of a table (seeds/products.csv) becomes the start of a row of the dataset.
//
//   npx data-designer preview seeds.ts -n 3
//   npx data-designer create seeds.ts -n 500 -d seeds
//
// Tutorial 3. To adapt: name a .csv, .json, .jsonl or .parquet file of your own, and its columns in the prompts.
import { DataDesignerConfigBuilder } from 'data-designer';
import { z } from 'zod';

/** A row of the seed. */
interface SeedRow {
  readonly name: string;
  readonly category: string;
  readonly price: number;
}

export default new DataDesignerConfigBuilder({
  // The simulator needs no key and makes its answers up. For real answers, change model and provider, for example to
  // gpt-4.1-mini and openai, which reads OPENAI_API_KEY; `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [{ alias: 'writer', model: 'sim-small', provider: 'simulator' }],
})
  // The path starts from the folder in which you run the command. Files from the Hugging Face Hub have the seedType hf.
  .withSeedDataset<SeedRow>(
    { seedType: 'local', path: 'seeds/products.csv' },
    {
      samplingStrategy: 'shuffle', // ordered keeps the order of the file
    },
  )
  // The columns of the seed (name, category, price) are in the dataset without a declaration.
  .addColumn({
    name: 'stars',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: [1, 2, 3, 4, 5], weights: [1, 1, 2, 4, 4] },
  })
  .addColumn({
    name: 'price_band',
    columnType: 'expression',
    expr: '{% if price < 20 %}low{% elif price < 50 %}medium{% else %}high{% endif %}',
  })
  .addColumn({
    name: 'review',
    columnType: 'llm-text',
    modelAlias: 'writer',
    prompt:
      'Write a short review with {{ stars }} of 5 stars of the {{ category }} product "{{ name }}", which costs {{ price }}.',
  })
  .addColumn({
    name: 'facts',
    columnType: 'llm-structured',
    modelAlias: 'writer',
    prompt: `Extract from this review of the product "{{ name }}" what the customer says.
{{ review }}`,
    outputFormat: z.object({
      praised: z.array(z.string()).max(3).describe('What the customer likes.'),
      criticised: z.array(z.string()).max(3).describe('What the customer dislikes.'),
      would_buy_again: z.boolean(),
    }),
  });
