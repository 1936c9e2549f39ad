// Questions about a database with its schema and a SQL query that answers them, executed and compared with a second query.
//
//   npx data-designer preview text-to-sql.ts -n 3
//   npx data-designer create text-to-sql.ts -n 500 -d text-to-sql
//
// To adapt: change the domains and techniques. With engine duckdb in place of sqlite, say DuckDB in the prompts. Both run in a
// sandbox. For other dialects, check the syntax alone: validator_type code with a code_lang such as sql:postgres.
import { DataDesignerConfigBuilder } from 'data-designer';

export default new DataDesignerConfigBuilder({
  // The simulator needs no key and makes its answers up. For real answers, change model and provider, for example to
  // gpt-4.1-mini and openai, which reads OPENAI_API_KEY; `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [
    {
      alias: 'writer',
      model: 'sim-small',
      provider: 'simulator',
      inferenceParameters: { temperature: 0.5, maxTokens: 1500 },
    },
    { alias: 'critic', model: 'sim-large', provider: 'simulator', inferenceParameters: { temperature: 0.1 } },
  ],
})
  .addColumn({
    name: 'domain',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['a bicycle rental', 'a seed bank', 'a theatre', 'an observatory'] },
  })
  .addColumn({
    name: 'technique',
    columnType: 'sampler',
    samplerType: 'category',
    params: {
      values: ['a join of three tables', 'a window function', 'grouping with a condition on groups', 'a subquery'],
    },
  })
  .addColumn({
    name: 'asker',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['a manager without SQL knowledge', 'an accountant', 'an engineer'] },
  })
  .addColumn({
    name: 'tables',
    columnType: 'llm-code',
    modelAlias: 'writer',
    codeLang: 'sql:sqlite',
    prompt: `Write CREATE TABLE statements for {{ domain }} in SQLite: three to five tables with keys, sensible types, and one column
whose name is easy to misunderstand. Then fill each table with five to ten rows by INSERT. Write nothing else.`,
  })
  .addColumn({
    name: 'question',
    columnType: 'llm-text',
    modelAlias: 'writer',
    prompt: `Ask, as {{ asker }}, one question that this database can answer. The answer needs {{ technique }}, but do not name
tables, columns or SQL.
{{ tables }}`,
  })
  .addColumn({
    name: 'query',
    columnType: 'llm-code',
    modelAlias: 'writer',
    codeLang: 'sql:sqlite',
    prompt: `Write one SELECT statement for SQLite that answers the question. Use the names of the schema.
Question: {{ question }}
Schema: {{ tables }}`,
  })
  .addColumn({
    name: 'second_query',
    columnType: 'llm-code',
    modelAlias: 'critic',
    codeLang: 'sql:sqlite',
    prompt: `Answer this question about a SQLite database with one SELECT statement, in the most direct way.
Question: {{ question }}
Schema: {{ tables }}`,
  })
  // Each query runs in a database of its own, which the statements of the schema fill before.
  .addColumn({
    name: 'runs',
    columnType: 'validation',
    targetColumns: ['query', 'second_query'],
    validatorType: 'execution',
    validatorParams: { language: 'sql', engine: 'sqlite', setup: '{{ tables }}' },
  })
  // Whether two models that did not see each other's query get the same rows.
  .addColumn({
    name: 'agreement',
    columnType: 'validation',
    targetColumns: ['query'],
    validatorType: 'execution',
    validatorParams: { language: 'sql', engine: 'sqlite', setup: '{{ tables }}', expected: '{{ second_query }}' },
    skip: { when: '{{ not (runs.query.is_valid and runs.second_query.is_valid) }}', value: null },
  })
  // No request for queries that do not run.
  .addColumn({
    name: 'review',
    columnType: 'llm-judge',
    modelAlias: 'critic',
    prompt: `Does the query answer the question with this schema?
Question: {{ question }}
Schema: {{ tables }}
Query: {{ query }}`,
    scores: [
      {
        name: 'Answer',
        description: 'Does the query return what is asked for?',
        options: { 0: 'no', 1: 'with extra or missing columns', 2: 'yes' },
      },
    ],
    skip: { when: '{{ not runs.query.is_valid }}', value: null },
  });
