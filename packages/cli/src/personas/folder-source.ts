import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PERSONA_LOCALES, type PersonaLocale } from '@data-designer/columns/personas';
import { DataDesignerError, fileReason } from '@data-designer/core';
import { type PersonaSource, resourceName, wantedPersonas } from './persona-source.ts';

const ENDING = '.parquet';

/** A folder with persona files: `<locale>.parquet`, or the folders that `ngc` or a download from NGC makes. */
export function folderSource(given: string): PersonaSource {
  const folder = resolve(given);
  const files = new Map(PERSONA_LOCALES.map((locale) => [locale, findPersonaFile(folder, locale)]));
  const fileOf = (locale: PersonaLocale): string => {
    const found = files.get(locale);
    if (found !== undefined) return found;
    const reason = `${folder} has no file ${locale}${ENDING}`;
    const remedy = 'Name the folder that contains it.';
    throw new DataDesignerError('collection/not-installed', { collection: locale, reason, remedy });
  };
  return {
    name: folder,
    locales: PERSONA_LOCALES.filter((locale) => files.get(locale) !== undefined),
    refuseUnusable: () => Promise.resolve(refuseEmpty(folder, [...files.values()])),
    check: async (locale) => {
      const path = fileOf(locale);
      const { refuseUnfit, refusing } = await import('@data-designer/seeds');
      const wanted = wantedPersonas(locale, folder);
      return refusing(wanted, async () => {
        const { size } = statSync(path);
        await refuseUnfit(wanted, { path });
        return size;
      });
    },
    install: async (locale, { folder: into, signal, onBytes }) => {
      const path = fileOf(locale);
      const { copyOf, givenSum, installCollection, refusing } = await import('@data-designer/seeds');
      const wanted = wantedPersonas(locale, into);
      return refusing(wanted, async () => {
        const { size } = statSync(path);
        const fill = copyOf(path, { signal, onBytes: (bytes) => onBytes(bytes, size) });
        return installCollection(wanted, { name: path, fill, sha256: await givenSum(path) }, signal);
      });
    },
  };
}

function refuseEmpty(folder: string, files: readonly (string | undefined)[]): void {
  const refused = (reason: string): DataDesignerError =>
    new DataDesignerError('collection/unavailable', {
      source: folder,
      reason,
      remedy: `Name a folder with files such as en_US${ENDING}.`,
    });
  try {
    readdirSync(folder);
  } catch (thrown) {
    throw refused(fileReason(thrown, 'folder'));
  }
  if (files.every((file) => file === undefined)) throw refused('it has no file of a persona collection');
}

/** The file of a collection in a folder, or in a folder of its NGC resource there; the newest version of several. */
export function findPersonaFile(folder: string, locale: PersonaLocale): string | undefined {
  const own = `${locale}${ENDING}`;
  if (namesIn(folder).includes(own)) return join(folder, own);
  const resources = namesIn(folder)
    .filter((name) => name.startsWith(resourceName(locale)))
    .toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  for (const resource of resources) {
    const files = namesIn(join(folder, resource)).filter((name) => name.endsWith(ENDING));
    const file = files.includes(own) ? own : files.length === 1 ? files[0] : undefined;
    if (file !== undefined) return join(folder, resource, file);
  }
  return undefined;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
