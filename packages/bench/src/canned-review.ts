/** The schema of `CANNED_REVIEW`. */
export const REVIEW_SCHEMA = {
  type: 'object',
  properties: {
    product: { type: 'string' },
    rating: { type: 'integer', minimum: 1, maximum: 5 },
    verified: { type: 'boolean' },
    title: { type: 'string', maxLength: 200 },
    text: { type: 'string' },
    aspects: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          sentiment: { enum: ['good', 'bad', 'mixed'] },
          weight: { type: 'number', minimum: 0, maximum: 1 },
        },
        required: ['name', 'sentiment', 'weight'],
      },
    },
    author: {
      type: 'object',
      properties: { name: { type: 'string' }, age: { type: 'integer' }, city: { type: 'string' } },
      required: ['name', 'age', 'city'],
    },
  },
  required: ['product', 'rating', 'verified', 'title', 'text', 'aspects', 'author'],
};

/** An answer of 1 kB. */
export const CANNED_REVIEW = {
  product: 'A kettle of brushed steel, 1.7 litres',
  rating: 4,
  verified: true,
  title: 'Quick and quiet, but the lid sticks now and then',
  text: 'It boils a litre in two minutes and hardly hums while it does. '.repeat(6).trim(),
  aspects: ['speed', 'noise', 'lid', 'price', 'looks', 'cleaning'].map((name, index) => ({
    name,
    sentiment: (['good', 'bad', 'mixed'] as const)[index % 3],
    weight: (index + 1) / 8,
  })),
  author: { name: 'Maren Lindqvist', age: 43, city: 'Gothenburg' },
};
