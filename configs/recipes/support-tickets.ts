// Support tickets with consistent times, priorities and structured details, as a help desk system stores them.
//
//   npx data-designer preview support-tickets.ts -n 3
//   npx data-designer create support-tickets.ts -n 500 -d support-tickets
//
// To adapt: change the queues and their problems, the service times, and the schema of details.
import { DataDesignerConfigBuilder } from 'data-designer';
import { z } from 'zod';

export default new DataDesignerConfigBuilder({
  // The simulator needs no key and makes its answers up. For real answers, change model and provider, for example to
  // gpt-4.1-mini and openai, which reads OPENAI_API_KEY; `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [{ alias: 'writer', model: 'sim-small', provider: 'simulator' }],
})
  .addColumn({ name: 'ticket', columnType: 'sampler', samplerType: 'uuid', params: { prefix: 'T-', shortForm: true } })
  .addColumn({
    name: 'queue',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['billing', 'delivery', 'login', 'returns'], weights: [3, 4, 2, 1] },
  })
  .addColumn({
    name: 'priority',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['low', 'normal', 'urgent'], weights: [2, 5, 1] },
    conditionalParams: { "queue == 'login'": { values: ['normal', 'urgent'], weights: [1, 2] } },
  })
  .addColumn({
    name: 'customer',
    columnType: 'sampler',
    samplerType: 'person_from_faker',
    params: { locale: 'en_GB', ageRange: [18, 80] },
  })
  .addColumn({
    name: 'opened',
    columnType: 'sampler',
    samplerType: 'datetime',
    params: { start: '2025-06-01', end: '2025-12-01', unit: 'm' },
  })
  // Hours until the first answer; a constraint keeps it before the solution.
  .addColumn({
    name: 'hours_to_answer',
    columnType: 'sampler',
    samplerType: 'gaussian',
    params: { mean: 9, stddev: 4, decimalPlaces: 1 },
    conditionalParams: { "priority == 'urgent'": { mean: 2, stddev: 1, decimalPlaces: 1 } },
  })
  .addColumn({
    name: 'hours_to_solution',
    columnType: 'sampler',
    samplerType: 'gaussian',
    params: { mean: 40, stddev: 20, decimalPlaces: 1 },
  })
  .addColumn({
    name: 'first_answer_due',
    columnType: 'sampler',
    samplerType: 'timedelta',
    params: { dtMin: 1, dtMax: 24, unit: 'h', referenceColumnName: 'opened' },
  })
  .addColumn({
    name: 'details',
    columnType: 'llm-structured',
    modelAlias: 'writer',
    prompt: `Write the ticket that {{ customer.first_name }} {{ customer.last_name }} from {{ customer.city }} opened on {{ opened }}
in the queue "{{ queue }}". Its priority is {{ priority }}.`,
    outputFormat: z.object({
      subject: z.string().max(120),
      body: z.string().describe('Three to six sentences in the words of the customer.'),
      order_number: z.string().nullable().describe('Such as 40-118-227; null where no order is concerned.'),
      affected: z
        .array(z.enum(['app', 'invoice', 'parcel', 'website']))
        .min(1)
        .max(2),
    }),
  })
  .addColumn({
    name: 'first_answer',
    columnType: 'llm-text',
    modelAlias: 'writer',
    prompt: `Write the first answer of the help desk, {{ hours_to_answer }} hours later. Ask only for information that is missing.
Subject: {{ details.subject }}
{{ details.body }}`,
  })
  // Only urgent tickets are escalated; the other rows send no request.
  .addColumn({
    name: 'escalation',
    columnType: 'llm-text',
    modelAlias: 'writer',
    prompt: `Sum up this ticket in two sentences for the manager on duty, and say what should happen next.
{{ details.subject }}: {{ details.body }}`,
    skip: { when: "{{ priority != 'urgent' }}", value: null },
  })
  .addConstraint({ targetColumn: 'hours_to_answer', operator: 'gt', rhs: 0 })
  .addConstraint({ targetColumn: 'hours_to_solution', operator: 'gt', rhs: 'hours_to_answer' });
