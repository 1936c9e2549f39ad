// Questions of customers about the products of a table (product-questions/catalogue.csv), with supported and invented answers.
//
//   npx data-designer preview product-questions.ts -n 3
//   npx data-designer create product-questions.ts -n 500 -d product-questions
//
// To adapt: name your own table, and its columns in the prompts. Rows with is_supported false train a detector of invented
// facts.
import { DataDesignerConfigBuilder } from 'data-designer';

/** A row of the seed. */
interface SeedRow {
  readonly sku: string;
  readonly name: string;
  readonly price: number;
  readonly released: string;
  readonly in_stock: boolean;
  readonly description: string;
}

export default new DataDesignerConfigBuilder({
  // The simulator needs no key and makes its answers up. For real answers, change model and provider, for example to
  // gpt-4.1-mini and openai, which reads OPENAI_API_KEY; `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [
    { alias: 'writer', model: 'sim-small', provider: 'simulator' },
    { alias: 'critic', model: 'sim-large', provider: 'simulator', inferenceParameters: { temperature: 0.1 } },
  ],
})
  .withSeedDataset<SeedRow>(
    { seedType: 'local', path: 'product-questions/catalogue.csv' },
    { samplingStrategy: 'shuffle' },
  )
  .addColumn({
    name: 'tone',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['curious', 'annoyed', 'in a hurry'] },
  })
  // 1 in three of ten rows: the answer of these rows invents one fact.
  .addColumn({ name: 'invents', columnType: 'sampler', samplerType: 'bernoulli', params: { p: 0.3 } })
  .addColumn({
    name: 'question',
    columnType: 'llm-text',
    modelAlias: 'writer',
    prompt: `A customer who is {{ tone }} asks one question about the {{ name }} ({{ sku }}), which costs {{ price }} euros.
The page of the product says: {{ description }}
Write the question. The page must answer it.`,
  })
  .addColumn({
    name: 'answer',
    columnType: 'llm-text',
    modelAlias: 'writer',
    prompt: `Answer the question in two sentences from the page of the product.
{% if invents == 1 %}Add one plausible detail that the page does not contain.{% else %}Add nothing of your own.{% endif %}
Question: {{ question }}
Page: {{ name }}, {{ price }} euros, {{ 'in stock' if in_stock else 'sold out' }}. {{ description }}`,
  })
  .addColumn({ name: 'is_supported', columnType: 'expression', expr: '{{ invents == 0 }}', dtype: 'bool' })
  .addColumn({
    name: 'rating',
    columnType: 'llm-judge',
    modelAlias: 'critic',
    prompt: `Compare the answer with the page of the product, fact by fact.
Page: {{ name }}, {{ price }} euros. {{ description }}
Question: {{ question }}
Answer: {{ answer }}`,
    scores: [
      {
        name: 'Support',
        description: 'Is every fact of the answer on the page?',
        options: { supported: 'every fact is', invented: 'at least one is not' },
      },
      {
        name: 'Completeness',
        description: 'Does the answer cover the whole question?',
        options: { 1: 'not at all', 2: 'in part', 3: 'completely' },
      },
    ],
  });
