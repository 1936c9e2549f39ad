// Readings of sensors in cold rooms with drawn faults, and a note of the technician for each alarm.
//
//   npx data-designer preview sensor-log.ts -n 3
//   npx data-designer create sensor-log.ts -n 500 -d sensor-log
//
// To adapt: change the rooms, their distributions, and the thresholds of the alarm. Rows without an alarm send no request.
import { DataDesignerConfigBuilder } from 'data-designer';

export default new DataDesignerConfigBuilder({
  // The simulator needs no key and makes its answers up. For real answers, change model and provider, for example to
  // gpt-4.1-mini and openai, which reads OPENAI_API_KEY; `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [{ alias: 'writer', model: 'sim-small', provider: 'simulator' }],
})
  .addColumn({
    name: 'room',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['cheese', 'fish', 'vaccines'], weights: [2, 2, 1] },
  })
  .addColumn({
    name: 'sensor',
    columnType: 'sampler',
    samplerType: 'subcategory',
    params: { category: 'room', values: { cheese: ['C-1', 'C-2'], fish: ['F-1', 'F-2', 'F-3'], vaccines: ['V-1'] } },
  })
  .addColumn({
    name: 'measured_at',
    columnType: 'sampler',
    samplerType: 'datetime',
    params: { start: '2026-02-01', end: '2026-02-08', unit: 'm' },
  })
  .addColumn({ name: 'is_faulty', columnType: 'sampler', samplerType: 'bernoulli', params: { p: 0.05 } })
  // Later conditions win: a faulty sensor drifts in every room.
  .addColumn({
    name: 'celsius',
    columnType: 'sampler',
    samplerType: 'gaussian',
    params: { mean: 8, stddev: 0.6, decimalPlaces: 2 },
    conditionalParams: {
      "room == 'fish'": { mean: 0.5, stddev: 0.4, decimalPlaces: 2 },
      "room == 'vaccines'": { mean: 4, stddev: 0.3, decimalPlaces: 2 },
      'is_faulty == 1': { mean: 15, stddev: 6, decimalPlaces: 2 },
    },
  })
  .addColumn({
    name: 'humidity',
    columnType: 'sampler',
    samplerType: 'scipy',
    params: { distName: 'beta', distParams: { a: 8, b: 3 }, decimalPlaces: 3 },
  })
  .addColumn({ name: 'door_openings', columnType: 'sampler', samplerType: 'poisson', params: { mean: 4 } })
  .addColumn({
    name: 'seconds_open',
    columnType: 'sampler',
    samplerType: 'bernoulli_mixture',
    params: { p: 0.7, distName: 'expon', distParams: { scale: 45 } },
  })
  .addColumn({
    name: 'limit',
    columnType: 'expression',
    expr: "{% if room == 'cheese' %}10{% elif room == 'fish' %}2{% else %}6{% endif %}",
    dtype: 'float',
  })
  .addColumn({ name: 'alarm', columnType: 'expression', expr: '{{ celsius > limit }}', dtype: 'bool' })
  .addColumn({
    name: 'note',
    columnType: 'llm-text',
    modelAlias: 'writer',
    prompt: `Sensor {{ sensor }} in the cold room for {{ room }} reported {{ celsius }} degrees at {{ measured_at }}, with a limit of
{{ limit }}. The door was opened {{ door_openings }} times. Write the note of the technician who answers the alarm:
what was found, what was done, whether goods were lost. Three sentences at most.`,
    skip: { when: '{{ not alarm }}', value: null },
  })
  .addConstraint({ targetColumn: 'celsius', operator: 'ge', rhs: -5 })
  .addConstraint({ targetColumn: 'celsius', operator: 'le', rhs: 40 });
