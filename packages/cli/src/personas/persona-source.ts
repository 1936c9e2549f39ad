import { join } from 'node:path';
import { PERSONA_NEEDS, type PersonaLocale } from '@data-designer/columns/personas';
import { homeFolder } from '@data-designer/config';
import type { InstalledCollection } from '@data-designer/seeds';

/** A place that collections are installed from. */
export interface PersonaSource {
  /** Names it in messages. */
  readonly name: string;
  /** The locales that it has, as far as that is known without a request. */
  readonly locales: readonly PersonaLocale[];
  /** Throws `collection/unavailable` if nothing can be installed from it, for example without a login. */
  readonly refuseUnusable: () => Promise<void>;
  /** Checks a file that can be read without a download, and returns its size; throws `collection/not-installed`. */
  readonly check: (locale: PersonaLocale) => Promise<number | undefined>;
  /** Installs one collection; throws `collection/not-installed` and `dataset/unwritable`. */
  readonly install: (locale: PersonaLocale, transfer: Transfer) => Promise<InstalledCollection>;
}

/** Where to install a collection, what stops it, and who is told about its progress. */
export interface Transfer {
  /** The folder of installed collections. */
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Called with the bytes so far, and with the size if it is known. */
  readonly onBytes: (bytes: number, total: number | undefined) => void;
}

/** The folder of installed collections: below the managed assets, which an environment variable can move. */
export function personaFolder(): string {
  return join(homeFolder().managedAssets, 'datasets');
}

/** A collection as the functions that install it want it. */
export function wantedPersonas(locale: PersonaLocale, folder: string) {
  return { collection: locale, folder, needs: PERSONA_NEEDS } as const;
}

/** The name of a collection's resource in NGC. */
export function resourceName(locale: PersonaLocale): string {
  return `nemotron-personas-dataset-${locale.toLowerCase()}`;
}
