import { readForm } from '@data-designer/config';
import { expect, test } from 'vitest';
import { uuid } from './uuid.ts';

const read = (params: unknown) => uuid.schema.safeParse(readForm(uuid.schema, params));

test('nothing needs to be said', () => {
  expect(read({}).data).toEqual({ samplerType: 'uuid', prefix: null, shortForm: false, uppercase: false });
});

test('reads truths in every form', () => {
  expect(read({ short_form: 'yes', uppercase: 1 }).data).toMatchObject({ shortForm: true, uppercase: true });
});

test.each([[{ prefix: 5 }], [{ short_form: null }], [{ length: 8 }]])('refuses %j', (params) => {
  expect(read(params).success).toBe(false);
});
