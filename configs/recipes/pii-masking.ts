// Texts with personal data of made-up people, and the same texts with placeholders, for the training of redaction.
//
//   npx data-designer preview pii-masking.ts -n 3
//   npx data-designer create pii-masking.ts -n 500 -d pii-masking
//
// To adapt: change the kinds of text, the locale, and the entities. All people, numbers and addresses are made up.
import { DataDesignerConfigBuilder } from 'data-designer';

export default new DataDesignerConfigBuilder({
  // The simulator needs no key and makes its answers up. For real answers, change model and provider, for example to
  // gpt-4.1-mini and openai, which reads OPENAI_API_KEY; `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [{ alias: 'writer', model: 'sim-small', provider: 'simulator' }],
})
  .addColumn({
    name: 'person',
    columnType: 'sampler',
    samplerType: 'person_from_faker',
    params: { locale: 'en_US', ageRange: [18, 90] },
  })
  .addColumn({
    name: 'account',
    columnType: 'sampler',
    samplerType: 'uuid',
    params: { prefix: 'ACC-', shortForm: true, uppercase: true },
  })
  .addColumn({
    name: 'visited',
    columnType: 'sampler',
    samplerType: 'datetime',
    params: { start: '2025-01-01', end: '2025-12-31', unit: 'D' },
    convertTo: '%d %B %Y',
  })
  .addColumn({
    name: 'kind',
    columnType: 'sampler',
    samplerType: 'category',
    params: {
      values: [
        'a complaint by mail',
        'a note in a patient file',
        'a transcript of a phone call',
        'an application form',
      ],
    },
  })
  // The model writes placeholders, and expressions fill them: the positions of the entities are exact.
  .addColumn({
    name: 'masked',
    columnType: 'llm-text',
    modelAlias: 'writer',
    prompt: `Write {{ kind }} of 60 to 100 words. Use each of these placeholders at least once, exactly as written, in place of
personal data: [NAME], [PHONE], [ADDRESS], [ACCOUNT], [DATE]. Write no other personal data.`,
  })
  .addColumn({
    name: 'address',
    columnType: 'expression',
    expr: '{{ person.street_number }} {{ person.street_name }}, {{ person.city }}',
    drop: true,
  })
  .addColumn({
    name: 'named',
    columnType: 'expression',
    expr: "{{ masked | replace('[NAME]', person.first_name ~ ' ' ~ person.last_name) | replace('[DATE]', visited) }}",
    drop: true,
  })
  .addColumn({
    name: 'text',
    columnType: 'expression',
    expr: "{{ named | replace('[PHONE]', person.phone_number) | replace('[ADDRESS]', address) | replace('[ACCOUNT]', account) }}",
  })
  .addColumn({
    name: 'has_every_entity',
    columnType: 'expression',
    expr: "{{ '[NAME]' in masked and '[PHONE]' in masked and '[ADDRESS]' in masked and '[ACCOUNT]' in masked and '[DATE]' in masked }}",
    dtype: 'bool',
  })
  .addProcessor({
    name: 'pairs',
    processorType: 'schema_transform',
    template: { input: '{{ text }}', output: '{{ masked }}' },
  });
