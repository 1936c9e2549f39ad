import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { REFERENCE_PAGES } from '../docs/.vitepress/reference/pages.ts';
import { VARIABLES } from '../docs/.vitepress/reference/settings-page.ts';

test.each(Object.entries(REFERENCE_PAGES))(
  'docs/reference/%s.md equals the output of npm run docs:reference',
  { tags: 'long' },
  async (name, write) => {
    await expect(write()).toMatchFileSnapshot(`../docs/reference/${name}.md`);
  },
);

test('the settings page lists the environment variables of the sources', () => {
  const files = globSync(['packages/*/src/**/*.ts', 'packages/*/bin/*.js'], {
    exclude: (name) => name.endsWith('.test.ts'),
  });
  const sources = files.filter((file) => !file.startsWith('packages/bench')).map((file) => readFileSync(file, 'utf8'));
  const named = new Set(sources.flatMap((text) => text.match(/\bDATA_DESIGNER_[A-Z_]*[A-Z]\b/g) ?? []));
  const listed = Object.keys(VARIABLES).filter((name) => name.startsWith('DATA_DESIGNER_'));
  expect(listed.toSorted()).toEqual([...named].toSorted());
});

test.each(['api', 'plugins-api'])(
  'every type and every member on docs/reference/%s.md is documented',
  { tags: 'long' },
  (name) => {
    const undescribed = REFERENCE_PAGES[name]?.().match(/^\| `.*\|  \|$|^#{3,4} .+\n\n(?=```|#|\|)/gm);
    expect(undescribed).toBeNull();
  },
);
