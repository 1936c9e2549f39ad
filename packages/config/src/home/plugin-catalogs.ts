import { lstatSync } from 'node:fs';
import { z } from 'zod';
import { editList, type HomeChange, type HomeEdit } from './edit-home.ts';
import type { HomeFolder } from './home-folder.ts';
import { type EntryList, readEntries } from './read-entries.ts';

/** How long a downloaded catalog is used without asking its server again (as in NeMo Data Designer). */
export const CATALOG_TTL_SECONDS = 86_400;

const entrySchema = z.strictObject({
  alias: z
    .string()
    .regex(
      /^[a-z0-9_.-]+$/,
      'an alias consists of lower-case letters, digits, and the characters _ . -; use another alias',
    ),
  url: z.string().min(1),
  cacheTtlSeconds: z.int().min(0).default(CATALOG_TTL_SECONDS),
});

/** A catalog of plug-ins in the home folder: `url` is an address, or the path of a file or a folder. */
export type PluginCatalogEntry = z.output<typeof entrySchema>;

const list: EntryList<typeof entrySchema> = {
  key: 'catalogs',
  noun: 'catalog',
  nameField: 'alias',
  schemaOf: () => entrySchema,
};

/** The catalogs of the home folder; throws `config/unreadable` or `config/invalid`. */
export function readPluginCatalogs({ pluginCatalogs: path }: HomeFolder): readonly PluginCatalogEntry[] {
  return lstatSync(path, { throwIfNoEntry: false }) === undefined ? [] : readEntries(path, list);
}

/** Validates a change of the catalogs, as `editHome` does. */
export function editPluginCatalogs(
  { pluginCatalogs: path }: HomeFolder,
  change: HomeChange,
): HomeEdit<PluginCatalogEntry> {
  return editList({ path, list, newText: () => 'catalogs: []\n' }, change);
}
