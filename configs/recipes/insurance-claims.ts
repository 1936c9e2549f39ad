// Claims on household insurance with skewed amounts, a description, a decision, and a few attempted frauds.
//
//   npx data-designer preview insurance-claims.ts -n 3
//   npx data-designer create insurance-claims.ts -n 500 -d insurance-claims
//
// To adapt: change the perils and amounts. The sampler is_fraud sets the share of frauds, and its rows get a contradiction.
import { DataDesignerConfigBuilder } from 'data-designer';
import { z } from 'zod';

export default new DataDesignerConfigBuilder({
  // The simulator needs no key and makes its answers up. For real answers, change model and provider, for example to
  // gpt-4.1-mini and openai, which reads OPENAI_API_KEY; `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [
    { alias: 'writer', model: 'sim-small', provider: 'simulator', inferenceParameters: { temperature: 0.9 } },
    { alias: 'adjuster', model: 'sim-large', provider: 'simulator', inferenceParameters: { temperature: 0.2 } },
  ],
})
  .addColumn({
    name: 'claim_id',
    columnType: 'sampler',
    samplerType: 'uuid',
    params: { prefix: 'CL-', shortForm: true, uppercase: true },
  })
  .addColumn({
    name: 'peril',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['burglary', 'fire', 'storm', 'water pipe'], weights: [2, 1, 3, 4] },
  })
  .addColumn({
    name: 'insured_since',
    columnType: 'sampler',
    samplerType: 'datetime',
    params: { start: '2015-01-01', end: '2025-01-01', unit: 'D' },
  })
  .addColumn({
    name: 'damaged_at',
    columnType: 'sampler',
    samplerType: 'timedelta',
    params: { dtMin: 10, dtMax: 400, unit: 'D', referenceColumnName: 'insured_since' },
    convertTo: '%Y-%m-%d',
  })
  // Most claims are small, and a few are very large.
  .addColumn({
    name: 'amount',
    columnType: 'sampler',
    samplerType: 'scipy',
    params: { distName: 'lognorm', distParams: { s: 0.9, scale: 1400 }, decimalPlaces: 2 },
    conditionalParams: {
      "peril == 'fire'": { distName: 'lognorm', distParams: { s: 1.1, scale: 9000 }, decimalPlaces: 2 },
    },
  })
  .addColumn({
    name: 'deductible',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: [0, 150, 300, 500] },
  })
  .addColumn({ name: 'is_fraud', columnType: 'sampler', samplerType: 'bernoulli', params: { p: 0.08 } })
  .addColumn({
    name: 'description',
    columnType: 'llm-text',
    modelAlias: 'writer',
    prompt: `Write what a policyholder tells the insurance company about damage by {{ peril }} on {{ damaged_at }}, for which
{{ amount }} euros are claimed. Four to six sentences in the first person.
{% if is_fraud == 1 %}One detail contradicts another, so that a careful reader doubts the story.{% endif %}`,
  })
  .addColumn({
    name: 'decision',
    columnType: 'llm-structured',
    modelAlias: 'adjuster',
    systemPrompt: 'You examine claims. You approve what is plausible, and ask for evidence before you reject a claim.',
    prompt: `Claim {{ claim_id }}: {{ peril }}, {{ amount }} euros, deductible {{ deductible }} euros.
{{ description }}`,
    outputFormat: z.object({
      outcome: z.enum(['approve', 'ask for evidence', 'reject']),
      reason: z.string().describe('One sentence for the policyholder.'),
      suspicion: z.int().min(0).max(10),
    }),
  })
  .addColumn({
    name: 'payout',
    columnType: 'expression',
    expr: "{{ ([amount - deductible, 0] | max) | round(2) if decision.outcome == 'approve' else 0 }}",
    dtype: 'float',
  })
  .addConstraint({ targetColumn: 'amount', operator: 'ge', rhs: 50 })
  .addConstraint({ targetColumn: 'amount', operator: 'le', rhs: 250000 });
