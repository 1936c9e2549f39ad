// Questions about a database with its schema and a SQL query that answers them, checked by a parser.
//
//   npx data-designer preview text-to-sql.ts -n 3
//   npx data-designer create text-to-sql.ts -n 500 -d text-to-sql
//
// To adapt: change the dialect everywhere (sqlite, postgres, mysql, tsql, bigquery, ansi), the domains and techniques.
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
    prompt: `Write CREATE TABLE statements for {{ domain }}: three to five tables with keys, sensible types, and one column whose
name is easy to misunderstand. Write nothing else.`,
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
    name: 'syntax',
    columnType: 'validation',
    targetColumns: ['tables', 'query'],
    validatorType: 'code',
    validatorParams: { codeLang: 'sql:sqlite' },
  })
  // No request for queries that do not parse.
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
    skip: { when: '{{ not syntax.query.is_valid }}', value: null },
  });
