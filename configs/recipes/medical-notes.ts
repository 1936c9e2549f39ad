// Notes of fictional consultations, from a table of symptoms and diagnoses (medical-notes/conditions.csv).
//
//   npx data-designer preview medical-notes.ts -n 3
//   npx data-designer create medical-notes.ts -n 500 -d medical-notes
//
// To adapt: extend the table. The notes are for the training of software only; they are no source of medical advice.
import { DataDesignerConfigBuilder } from 'data-designer';
import { z } from 'zod';

/** A row of the seed. */
interface SeedRow {
  readonly complaint: string;
  readonly finding: string;
  readonly diagnosis: string;
}

export default new DataDesignerConfigBuilder({
  // The simulator needs no key and makes its answers up. For real answers, change model and provider, for example to
  // gpt-4.1-mini and openai, which reads OPENAI_API_KEY; `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [
    {
      alias: 'writer',
      model: 'sim-small',
      provider: 'simulator',
      inferenceParameters: { temperature: 0.8, maxTokens: 1200 },
    },
  ],
})
  .withSeedDataset<SeedRow>(
    { seedType: 'local', path: 'medical-notes/conditions.csv' },
    { samplingStrategy: 'shuffle' },
  )
  .addColumn({
    name: 'patient',
    columnType: 'sampler',
    samplerType: 'person_from_faker',
    params: { locale: 'en_GB', ageRange: [18, 90] },
  })
  .addColumn({ name: 'days_ill', columnType: 'sampler', samplerType: 'poisson', params: { mean: 5 } })
  .addColumn({
    name: 'seen',
    columnType: 'sampler',
    samplerType: 'datetime',
    params: { start: '2025-01-01', end: '2025-12-31', unit: 'D' },
    convertTo: '%Y-%m-%d',
  })
  .addColumn({
    name: 'style',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['abbreviated', 'full sentences', 'dictated with hesitations'] },
  })
  .addColumn({
    name: 'note',
    columnType: 'llm-text',
    modelAlias: 'writer',
    prompt: `Write the note of a consultation on {{ seen }}: {{ patient.first_name }} {{ patient.last_name }},
{{ patient.sex | lower }}, {{ patient.age }} years old, ill for {{ days_ill }} days.
Complaint: {{ complaint }}. Finding: {{ finding }}. Diagnosis: {{ diagnosis }}.
Style: {{ style }}. Order: history, examination, assessment, plan. Invent no further diagnosis.`,
  })
  .addColumn({
    name: 'record',
    columnType: 'llm-structured',
    modelAlias: 'writer',
    prompt: `Extract the record from this note.
{{ note }}`,
    outputFormat: z.object({
      complaint: z.string(),
      findings: z.array(z.string()).max(6),
      diagnosis: z.string(),
      medication: z.array(z.object({ name: z.string(), dose_mg: z.number().nullable() })).max(4),
      follow_up_days: z.int().min(0).max(365).describe('Days until the next visit, or 0.'),
    }),
  })
  .addColumn({
    name: 'is_diagnosis_kept',
    columnType: 'expression',
    expr: '{{ diagnosis | lower in note | lower }}',
    dtype: 'bool',
  });
