// Dishes as objects that match a JSON Schema, and texts that templates with conditions and loops make of them.
//
//   npx data-designer preview structured.ts -n 3
//   npx data-designer create structured.ts -n 500 -d structured
//
// Tutorial 2. To adapt: change the schema of dish. Descriptions in it help the model; templates read its fields.
import { DataDesignerConfigBuilder } from 'data-designer';
import { z } from 'zod';

export default new DataDesignerConfigBuilder({
  // The simulator needs no key and makes its answers up. For real answers, change model and provider, for example to
  // gpt-4.1-mini and openai, which reads OPENAI_API_KEY; `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [{ alias: 'writer', model: 'sim-small', provider: 'simulator' }],
})
  .addColumn({
    name: 'kitchen',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['Georgian', 'Lebanese', 'Peruvian', 'Vietnamese'] },
  })
  .addColumn({ name: 'guests', columnType: 'sampler', samplerType: 'category', params: { values: [1, 2, 4, 8] } })
  .addColumn({
    name: 'diet',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['no restriction', 'vegetarian', 'gluten-free'], weights: [3, 2, 1] },
  })
  // Data Designer adds the schema to the prompt. An answer that does not match it is requested again.
  .addColumn({
    name: 'dish',
    columnType: 'llm-structured',
    modelAlias: 'writer',
    prompt: `Choose one {{ kitchen }} dish for {{ guests }} {{ 'person' if guests == 1 else 'people' }}.
{% if diet != 'no restriction' %}It must be {{ diet }}.{% endif %}`,
    outputFormat: z.object({
      title: z.string().describe('The name of the dish.'),
      course: z.enum(['starter', 'main', 'dessert']),
      minutes: z.int().min(5).max(240).describe('Time to prepare it.'),
      ingredients: z
        .array(z.object({ name: z.string(), grams: z.number().min(1).max(2000) }))
        .min(3)
        .max(8),
    }),
  })
  // An expression computes a value. dtype is str (default), int, float or bool.
  .addColumn({
    name: 'ingredient_count',
    columnType: 'expression',
    expr: '{{ dish.ingredients | length }}',
    dtype: 'int',
  })
  .addColumn({ name: 'is_quick', columnType: 'expression', expr: '{{ dish.minutes <= 30 }}', dtype: 'bool' })
  .addColumn({
    name: 'shopping_list',
    columnType: 'expression',
    expr: '{% for one in dish.ingredients %}{{ one.grams | round }} g {{ one.name | lower }}{% if not loop.last %}; {% endif %}{% endfor %}',
  })
  .addColumn({
    name: 'menu_line',
    columnType: 'llm-text',
    modelAlias: 'writer',
    prompt: `Write the line of a menu for the {{ dish.course }} "{{ dish.title }}". It names these ingredients:
{% for one in dish.ingredients %}
- {{ one.name }}
{% endfor %}`,
  });
