import { expect, test } from 'vitest';
import { isFailure } from '@data-designer/core';
import { checkCatalog } from './catalog.ts';
import { incompatibilities } from './compatibility.ts';

const PLUGIN = { name: 'backwards', type: 'column', entry: 'data-designer-words' };
const PACKAGE = {
  name: 'data-designer-words',
  version: '1.2.0',
  description: 'Reverses words.',
  install: { requirement: 'data-designer-words@^1.2.0' },
  compatibility: { node: '>=22.12', data_designer: '>=0.2.0 <1' },
  docs: { url: 'https://example.org/words' },
  plugins: [PLUGIN],
};
const CATALOG = { schema_version: 1, packages: [PACKAGE] };

/** The mistakes in a catalog: path, message and remedy. */
function mistakesIn(catalog: unknown): readonly string[] {
  try {
    checkCatalog(catalog, 'plugins.json');
  } catch (thrown) {
    if (!isFailure(thrown, 'config/invalid')) throw thrown;
    return thrown.data.violations.map(({ path, message, remedy }) => `${path}: ${message} ${remedy}`);
  }
  return [];
}

const withPackage = (changes: object): unknown => ({ ...CATALOG, packages: [{ ...PACKAGE, ...changes }] });
const withPlugin = (changes: object): unknown => withPackage({ plugins: [{ ...PLUGIN, ...changes }] });

test('a catalog is read with its keys in camelCase; only the version may be missing', () => {
  const { version: _, ...unversioned } = PACKAGE;
  const { packages } = checkCatalog(
    {
      ...CATALOG,
      packages: [
        PACKAGE,
        {
          ...unversioned,
          name: 'data-designer-words-2',
          install: { requirement: 'data-designer-words-2' },
          plugins: [{ name: 'dice', type: 'sampler', entry: 'data-designer-words-2/dice' }],
        },
      ],
    },
    'plugins.json',
  );
  expect(packages[0]).toEqual({ ...PACKAGE, compatibility: { node: '>=22.12', dataDesigner: '>=0.2.0 <1' } });
  expect(packages[1]?.version).toBeUndefined();
});

test.each<[string, unknown, RegExp]>([
  [
    'a catalog of the Python tool',
    { schema_version: 2, packages: [{}] },
    /^schema_version: .*Python packages\. Use another catalog\.$/,
  ],
  ['no version', { packages: [] }, /^schema_version: this key is missing\. Add it/],
  ['an unknown key', { ...CATALOG, name: 'acme' }, /^name: unknown key 'name'/],
  [
    'a misspelt key',
    withPackage({ description: undefined, descripton: 'x' }),
    /^packages\[0\]\.descripton: unknown key 'descripton'\. Did you mean 'description'\?$/,
  ],
  ['a missing key', withPackage({ docs: {} }), /^packages\[0\]\.docs\.url: this key is missing/],
  [
    'an invalid package name',
    withPackage({ name: 'Words 1' }),
    /^packages\[0\]\.name: it is not the name of an npm package/,
  ],
  [
    'a requirement of another package',
    withPackage({ install: { requirement: 'words@1' } }),
    /requirement: it does not begin with the name of the package/,
  ],
  [
    'an option as the requirement',
    withPackage({ install: { requirement: '--global' } }),
    /requirement: it does not begin with the name/,
  ],
  [
    'a quote in the requirement',
    withPackage({ install: { requirement: 'data-designer-words@"1"' } }),
    /requirement: it contains a quote/,
  ],
  [
    'a text in place of a range',
    withPackage({ compatibility: { node: 'new', data_designer: '*' } }),
    /node: it is not a range of versions/,
  ],
  ['no plug-ins', withPackage({ plugins: [] }), /plugins: the list needs at least 1 entry/],
  [
    'an unknown kind',
    withPlugin({ type: 'colum' }),
    /plugins\[0\]\.type: 'colum' is not an allowed value\. Did you mean 'column'\?/,
  ],
  [
    'a module of another package',
    withPlugin({ entry: 'other' }),
    /plugins\[0\]\.entry: it is not a module of the package/,
  ],
  [
    'a module outside of the package',
    withPlugin({ entry: 'data-designer-words/../x' }),
    /plugins\[0\]\.entry: it is not the name of a module/,
  ],
  [
    'an address of another scheme',
    withPackage({ docs: { url: 'ftp://example.org' } }),
    /docs\.url: it is not an http\(s\) address/,
  ],
])('%s is one mistake', (...told) => {
  const [, catalog, mistake] = told;
  expect(mistakesIn(catalog)).toEqual([expect.stringMatching(mistake)]);
});

test('packages and types of one kind have different names', () => {
  expect(mistakesIn({ ...CATALOG, packages: [PACKAGE, PACKAGE] })).toEqual([
    "packages[1].name: the catalog lists the package 'data-designer-words' twice. Remove one of them.",
    "packages[1].plugins[0].name: the catalog lists the column 'backwards' twice. Rename or remove one of them.",
  ]);
  expect(mistakesIn(withPackage({ plugins: [PLUGIN, { ...PLUGIN, type: 'sampler' }] }))).toEqual([]);
});

test.each([
  ['22.12.0', '0.2.0', []],
  ['24.0.0', '0.9.0-beta.1', []],
  [
    '20.11.0',
    '1.0.0',
    ['it needs Node >=22.12, and this is 20.11.0', 'it needs data-designer >=0.2.0 <1, and this is 1.0.0'],
  ],
])('on Node %s and data-designer %s a package lacks %j', (node, dataDesigner, reasons) => {
  const compatibility = { node: '>=22.12', dataDesigner: '>=0.2.0 <1' };
  expect(incompatibilities({ compatibility }, { node, dataDesigner })).toEqual(reasons);
});
