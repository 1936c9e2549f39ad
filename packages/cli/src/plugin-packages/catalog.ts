import validRange from 'semver/ranges/valid.js';
import { z } from 'zod';
import { parseForm } from '@data-designer/config';

/** The version of the format of catalogs. */
const SCHEMA_VERSION = 1;

/** The kinds of types that a plug-in adds. */
export const PLUGIN_KINDS = ['column', 'sampler', 'processor', 'seed', 'command'] as const;

/** A kind of type that a plug-in adds. */
export type PluginKind = (typeof PLUGIN_KINDS)[number];

const NPM_NAME = /^(?:@[a-z\d~-][a-z\d._~-]*\/)?[a-z\d~-][a-z\d._~-]*$/;

const range = z
  .string()
  .refine((text) => validRange(text) !== null, 'it is not a range of versions; write one such as >=1.2.0 <2');

const text = z.string().min(1);

const plugin = z.strictObject({
  name: z
    .string()
    .regex(
      /^[a-z][a-z0-9_-]*$/i,
      'it is not the name of a type; begin with a letter, and use letters, digits, _ and -',
    ),
  type: z.enum(PLUGIN_KINDS),
  entry: z.string().regex(/^(?!.*\.\.)[\w@./~-]+$/, 'it is not the name of a module; correct it'),
});

const catalogPackage = z
  .strictObject({
    name: z.string().regex(NPM_NAME, 'it is not the name of an npm package; correct it'),
    version: text.optional(),
    description: text,
    install: z.strictObject({
      // A quote or a control character has no place in a requirement, and shells read it in different ways.
      requirement: text.regex(/^[^\p{C}"]+$/u, 'it contains a quote or a control character; remove it'),
    }),
    compatibility: z.strictObject({ node: range, dataDesigner: range }),
    docs: z.strictObject({
      url: z.string().regex(/^https?:\/\/\S+$/, 'it is not an http(s) address; write the address of the documentation'),
    }),
    plugins: z.array(plugin).min(1),
  })
  .superRefine(({ name, install, plugins }, context) => {
    if (!NPM_NAME.test(name)) return;
    if (install.requirement !== name && !install.requirement.startsWith(`${name}@`)) {
      const message = `it does not begin with the name of the package; write ${name}, or ${name}@ and a version, range or address`;
      context.addIssue({ code: 'custom', path: ['install', 'requirement'], message });
    }
    for (const [index, { entry }] of plugins.entries()) {
      if (entry === name || entry.startsWith(`${name}/`)) continue;
      const message = `it is not a module of the package; write ${name}, or ${name}/ and the path of a module`;
      context.addIssue({ code: 'custom', path: ['plugins', index, 'entry'], message });
    }
  });

const catalog = z
  .strictObject({ schemaVersion: z.literal(SCHEMA_VERSION), packages: z.array(catalogPackage) })
  .superRefine(({ packages }, context) => {
    const names = new Set<string>();
    const types = new Set<string>();
    for (const [index, { name, plugins }] of packages.entries()) {
      const message = `the catalog lists the package '${name}' twice; remove one of them`;
      if (names.has(name)) context.addIssue({ code: 'custom', path: ['packages', index, 'name'], message });
      names.add(name);
      for (const [at, one] of plugins.entries()) {
        const kindAndName = `${one.type} ${one.name}`;
        const told = `the catalog lists the ${one.type} '${one.name}' twice; rename or remove one of them`;
        if (types.has(kindAndName)) {
          context.addIssue({ code: 'custom', path: ['packages', index, 'plugins', at, 'name'], message: told });
        }
        types.add(kindAndName);
      }
    }
  });

/** A catalog of packages with plug-ins. */
export type Catalog = z.output<typeof catalog>;

/** A package of a catalog. */
export type CatalogPackage = z.output<typeof catalogPackage>;

const versioned = z.object({
  schemaVersion: z
    .literal(SCHEMA_VERSION, {
      error: `catalogs of npm packages have the schema_version ${SCHEMA_VERSION}, and those of the Python tool list Python packages; use another catalog`,
    })
    .optional(),
});

/** Checks a document and returns its catalog; throws `config/invalid` with every mistake. */
export function checkCatalog(document: unknown, source: string): Catalog {
  parseForm(versioned, document, { source });
  return parseForm(catalog, document, { source });
}
