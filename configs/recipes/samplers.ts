// Customers and their orders, from samplers alone: no model and no key.
//
//   npx data-designer preview samplers.ts -n 3
//   npx data-designer create samplers.ts -n 10000 -d samplers
//
// To adapt: change the samplers. `npx data-designer agent types samplers` lists all of them with their parameters.
import { DataDesignerConfigBuilder } from 'data-designer';

export default new DataDesignerConfigBuilder()
  .addColumn({
    name: 'customer',
    columnType: 'sampler',
    samplerType: 'person_from_faker',
    params: { locale: 'en_GB', ageRange: [18, 85] },
  })
  .addColumn({
    name: 'plan',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['free', 'plus', 'business'], weights: [5, 3, 2] },
  })
  // A subcategory depends on the category of its row.
  .addColumn({
    name: 'feature',
    columnType: 'sampler',
    samplerType: 'subcategory',
    params: {
      category: 'plan',
      values: { free: ['search'], plus: ['search', 'export'], business: ['export', 'audit', 'single sign-on'] },
    },
  })
  .addColumn({
    name: 'signed_up',
    columnType: 'sampler',
    samplerType: 'datetime',
    params: { start: '2024-01-01', end: '2026-01-01', unit: 'm' },
  })
  // A time after another one.
  .addColumn({
    name: 'first_order',
    columnType: 'sampler',
    samplerType: 'timedelta',
    params: { dtMin: 0, dtMax: 30, unit: 'D', referenceColumnName: 'signed_up' },
    convertTo: '%d %B %Y',
  })
  // conditionalParams replace the parameters in rows that match.
  .addColumn({
    name: 'orders',
    columnType: 'sampler',
    samplerType: 'poisson',
    params: { mean: 2 },
    conditionalParams: { "plan == 'business'": { mean: 40 } },
  })
  .addColumn({
    name: 'spent',
    columnType: 'sampler',
    samplerType: 'scipy',
    params: { distName: 'lognorm', distParams: { s: 0.8, scale: 60 }, decimalPlaces: 2 },
  })
  .addColumn({
    name: 'refunded',
    columnType: 'sampler',
    samplerType: 'uniform',
    params: { low: 0, high: 50, decimalPlaces: 2 },
  })
  .addColumn({
    name: 'greeting',
    columnType: 'expression',
    expr: 'Dear {{ customer.first_name }} {{ customer.last_name }}',
  })
  // Values that break a constraint are drawn again.
  .addConstraint({ targetColumn: 'spent', operator: 'ge', rhs: 5 })
  .addConstraint({ targetColumn: 'refunded', operator: 'le', rhs: 'spent' });
