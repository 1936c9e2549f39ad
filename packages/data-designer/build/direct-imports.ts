import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Plugin } from 'rolldown';

const NAMED_IMPORT = /^import \{([^}]*)\} from '(@data-designer\/[^']+)';/gm;
const NAMED_EXPORT = /^export \{([^}]*)\} from '(\.[^']+)';/gm;

/**
 * Leads imports of a workspace package to the files that export the names. By way of the package's index a thread would
 * load every module of the package, as `await import` of that index makes one chunk of them.
 */
export const directImports: Plugin = {
  name: 'direct-imports',
  transform: {
    filter: { id: /\/packages\/[^/]+\/src\/.*\.tsx?$/, code: /from '@data-designer\// },
    async handler(code, importer) {
      let direct = code;
      for (const [statement, names = '', specifier = ''] of code.matchAll(NAMED_IMPORT)) {
        const index = await this.resolve(specifier, importer);
        if (index) direct = direct.replace(statement, () => directImport(names, { specifier, index: index.id }));
      }
      return direct;
    },
  },
};

/** Imports of names from the files that a package's index exports them from; from the index where that says no file. */
function directImport(names: string, { specifier, index }: { specifier: string; index: string }): string {
  const files = new Map<string, string>();
  for (const [, exported = '', file = ''] of readFileSync(index, 'utf8').matchAll(NAMED_EXPORT)) {
    for (const name of valuesIn(exported)) if (!name.includes(' as ')) files.set(name, join(dirname(index), file));
  }
  const imports = valuesIn(names).map((name) => {
    const [exported = name] = name.split(' as ');
    return `import { ${name} } from '${files.get(exported) ?? specifier}';`;
  });
  // In one line, so that the others keep their numbers.
  return imports.join(' ');
}

/** The names in the braces of an import or export, without types. */
function valuesIn(names: string): string[] {
  return names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '));
}
