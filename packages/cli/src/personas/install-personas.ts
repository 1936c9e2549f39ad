import { PERSONA_LOCALES, PERSONA_SIZES_GB, type PersonaLocale } from '@data-designer/columns/personas';
import { DataDesignerError } from '@data-designer/core';
import type { CollectionState, InstalledCollection } from '@data-designer/seeds';
import { personaFolder, type PersonaSource, type Transfer, wantedPersonas } from './persona-source.ts';

/** A collection of a locale and its state on this machine. */
export interface PersonaFile extends CollectionState {
  readonly locale: PersonaLocale;
  /** The size of its file in NGC. */
  readonly sizeGb: number;
}

/** The collections of all locales, by locale. */
export async function personaFiles(folder = personaFolder()): Promise<readonly PersonaFile[]> {
  const { collectionState } = await import('@data-designer/seeds');
  const states = PERSONA_LOCALES.toSorted().map(async (locale) => ({
    locale,
    sizeGb: PERSONA_SIZES_GB[locale],
    ...(await collectionState(wantedPersonas(locale, folder))),
  }));
  return Promise.all(states);
}

/** The outcome of one command, by collection. */
export interface PersonaOutcome {
  readonly installed: readonly (InstalledCollection & { readonly locale: PersonaLocale })[];
  readonly failed: readonly { readonly locale: PersonaLocale; readonly failure: DataDesignerError }[];
  /** The locales that an interrupted command did not install. */
  readonly left: readonly PersonaLocale[];
}

/** Who is told about the installation. */
export interface InstallWatcher {
  readonly onBytes: (locale: PersonaLocale, ...progress: Parameters<Transfer['onBytes']>) => void;
  readonly onEnd: (end: PersonaOutcome['installed'][number] | PersonaOutcome['failed'][number]) => void;
}

/** Installs collections one after the other; a failure of one does not stop the others. */
export async function installPersonas(
  locales: readonly PersonaLocale[],
  source: PersonaSource,
  { folder, signal, onBytes, onEnd }: InstallWatcher & Pick<Transfer, 'folder' | 'signal'>,
): Promise<PersonaOutcome> {
  const installed: PersonaOutcome['installed'][number][] = [];
  const failed: PersonaOutcome['failed'][number][] = [];
  for (const [at, locale] of locales.entries()) {
    try {
      signal.throwIfAborted();
      const transfer = {
        folder,
        signal,
        onBytes: (...progress: Parameters<Transfer['onBytes']>) => onBytes(locale, ...progress),
      };
      const made = { locale, ...(await source.install(locale, transfer)) };
      installed.push(made);
      onEnd(made);
    } catch (thrown) {
      if (signal.aborted) return { installed, failed, left: locales.slice(at) };
      const end = { locale, failure: DataDesignerError.fromUnknown(thrown) };
      failed.push(end);
      onEnd(end);
    }
  }
  return { installed, failed, left: [] };
}
